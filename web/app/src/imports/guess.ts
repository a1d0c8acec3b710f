// What kind of field a column becomes when one is made of it, by its examples.

const day = String.raw`(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}/\d{1,2}/\d{4})`
const zone = String.raw`( ?(Z|UTC|GMT|Uhr|[+-]\d{2}:?\d{2}))?`

// guessKind is the kind that all examples have; where they tell nothing, or different things, that is text. What begins with a zero, or has
// more digits than people count with, is a number of something, and no figure. The comma tells that decimals follow one.
export function guessKind(samples: string[], comma: boolean): string {
  const [group, mark] = comma ? ['\\.', ','] : [',', '\\.']
  const whole = String.raw`-?(0|[1-9]\d{0,11}|[1-9]\d{0,2}(${group}\d{3}){1,3})`
  const forms: [string, string][] = [
    ['date', day],
    ['datetime', String.raw`${day}[T ,]+\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AP]M)?${zone}`],
    ['number', whole],
    ['decimal', String.raw`${whole}(${mark}\d{1,4})?`],
    ['boolean', 'yes|no|true|false|ja|nein|wahr|falsch'],
    ['email', String.raw`[^\s@]+@[^\s@]+\.[^\s@]+`],
    ['url', String.raw`https?://\S+`],
    // What has neither a sign before it nor something between its digits can be any number.
    ['phone', String.raw`(?=(\D*\d){6,15}\D*$)(\+|00|\(|0\d+[ /(-])[\d ()/.-]+`],
  ]
  const given = samples.map((s) => s.trim()).filter((s) => s !== '')
  return (given.length && forms.find(([, form]) => given.every((s) => new RegExp(`^(${form})$`, 'i').test(s)))?.[0]) || 'text'
}
