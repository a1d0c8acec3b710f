// The pages work without this. It adds a button that copies a secret beside the field that shows it.
for (const button of document.querySelectorAll('button[data-copies]')) {
  const field = document.getElementById(button.dataset.copies)
  const told = button.parentElement.querySelector('[role=status]')
  const word = button.firstChild
  field.addEventListener('focus', () => field.select())
  button.hidden = false
  button.addEventListener('click', async () => {
    field.select()
    try {
      await navigator.clipboard.writeText(field.value)
    } catch {
      document.execCommand('copy') // browsers keep the clipboard from pages that come by plain http
    }
    word.data = 'Copied'
    told.textContent = 'Copied'
  })
}
