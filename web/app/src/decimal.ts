// decimalOf reads a number as people type it: with a comma or point, and spaces or apostrophes between the thousands.
export function decimalOf(text: string): string | null {
  let plain = text.trim().replace(/[\s'’%€$£]/g, '')
  if (plain === '') return null
  const comma = plain.lastIndexOf(','), point = plain.lastIndexOf('.')
  if (comma > point) plain = plain.replaceAll('.', '').replace(',', '.')
  else if (point > comma && comma >= 0) plain = plain.replaceAll(',', '')
  return plain
}
