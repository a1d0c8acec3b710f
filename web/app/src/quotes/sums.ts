// The sums of lines, computed as the server does: in whole numbers of a ten-thousandth, never through floating point.

export type Line = {
  product_id?: string | null
  name: string
  sku?: string | null
  description?: string | null
  unit_price: string
  quantity: string
  discount_percent: string
  tax_rate: string
}

const one = 10_000n
const hundred = 100n * one

// Currencies whose smallest unit is not a hundredth (ISO 4217). What browsers know of it is how amounts are written, which is another thing.
const places: Record<string, number> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  ISK: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
  CLF: 4,
  UYW: 4,
}

// scaled reads a decimal of at most 14 digits before the point and four behind it.
export function scaled(text: string): bigint | null {
  const parts = /^(-?)(\d{1,14})(?:\.(\d{0,4}))?$/.exec(text)
  if (!parts) return null
  const n = BigInt(parts[2]) * one + BigInt((parts[3] ?? '').padEnd(4, '0'))
  return parts[1] ? -n : n
}

// plain writes one again, with at least two places.
export function plain(n: bigint): string {
  const digits = (n < 0n ? -n : n).toString().padStart(5, '0')
  const behind = digits.slice(-4).replace(/0{1,2}$/, '')
  return `${n < 0n ? '-' : ''}${digits.slice(0, -4)}.${behind}`
}

// roundTo divides exactly, and rounds half away from zero to a multiple of unit.
function roundTo(unit: bigint, divisor: bigint, product: bigint): bigint {
  const step = divisor * unit
  const half = product < 0n ? -step / 2n : step / 2n
  return ((product + half) / step) * unit
}

export type Sums = { lines: (string | null)[]; subtotal: string; discount: string; net: string; tax: string; total: string }

// sums adds lines up. A line of which a number cannot be read has no total, and counts nothing.
export function sums(lines: Line[], currency?: string | null): Sums {
  const unit = 10n ** BigInt(4 - (places[currency ?? ''] ?? 2))
  let subtotal = 0n,
    net = 0n,
    taxes = 0n
  const each = lines.map((line) => {
    const [quantity, price, discount, rate] = [line.quantity, line.unit_price, line.discount_percent || '0', line.tax_rate || '0'].map(
      scaled,
    )
    if (quantity === null || price === null || discount === null || rate === null) return null
    const total = roundTo(unit, one * hundred, quantity * price * (hundred - discount))
    subtotal += roundTo(unit, one, quantity * price)
    net += total
    taxes += roundTo(unit, hundred, total * rate)
    return plain(total)
  })
  return {
    lines: each,
    subtotal: plain(subtotal),
    discount: plain(subtotal - net),
    net: plain(net),
    tax: plain(taxes),
    total: plain(net + taxes),
  }
}
