// decimalOf reads a number as people type it: with a comma or point, and spaces, apostrophes or the other of the two between the thousands.
// Where only groups of three follow, as in 1.234, it is the sign that people of a place put before decimals that tells what is meant.
export function decimalOf(text: string, sign = '.'): string | null {
  let plain = text.trim().replace(/[\s'’%€$£]/g, '')
  if (plain === '') return null
  if ((sign === ',' ? /^-?[1-9]\d{0,2}(\.\d{3})+$/ : /^-?[1-9]\d{0,2}(,\d{3})+$/).test(plain)) return plain.replace(/[.,]/g, '')
  const comma = plain.lastIndexOf(','),
    point = plain.lastIndexOf('.')
  if (comma > point) plain = plain.replaceAll('.', '').replace(',', '.')
  else if (point > comma && comma >= 0) plain = plain.replaceAll(',', '')
  return plain
}
