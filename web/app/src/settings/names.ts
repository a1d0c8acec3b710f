// nameFrom makes the name by which programs know something out of what people call it: small letters, digits and _, and none that is taken.
export function nameFrom(label: string, taken: string[], ending = ''): string {
  const plain = label
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 50)
  const stem = /^[a-z]/.test(plain) ? plain : plain ? `f_${plain}` : 'field'
  for (let n = 1; ; n++) {
    const name = (n === 1 ? stem : `${stem}_${n}`) + ending
    if (!taken.includes(name)) return name
  }
}
