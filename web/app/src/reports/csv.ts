// Figures as a file that spreadsheets read: exact numbers, as the API gives them, under a head.

export type Cell = string | number | null | undefined

const figure = /^-?\d+(\.\d+)?$/

// A text that a spreadsheet would take for a formula gets an apostrophe, as in the exports of the API.
const defused = (text: string) => (/^'*[=+\-@\t\r]/.test(text) && !figure.test(text) ? `'${text}` : text)

const cell = (value: Cell) => {
  const text = defused(String(value ?? ''))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// csv begins with the mark by which spreadsheets know UTF-8.
export const csv = (rows: Cell[][]) => `\ufeff${rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`
