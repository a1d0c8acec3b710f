// The eight colours that options and stages can have. How each looks, in light and dark, is in the styles.

export const colours = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple'] as const
export type Colour = (typeof colours)[number]

// hues are where the colours lie on the circle, by degrees.
const hues: [number, Colour][] = [
  [10, 'red'],
  [40, 'orange'],
  [68, 'yellow'],
  [155, 'green'],
  [195, 'teal'],
  [250, 'blue'],
  [330, 'purple'],
  [361, 'red'],
]

// colourOf is the colour by its name. A business may have given one as #d4af37: that is shown in the one of the eight that is nearest.
export function colourOf(given: unknown): Colour {
  if (typeof given !== 'string') return 'gray'
  if ((colours as readonly string[]).includes(given)) return given as Colour
  if (!/^#[0-9a-f]{6}$/i.test(given)) return 'gray'
  const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(given.slice(i, i + 2), 16) / 255)
  const most = Math.max(r, g, b)
  const span = most - Math.min(r, g, b)
  if (span < 0.12) return 'gray'
  const sixth = most === r ? ((g - b) / span + 6) % 6 : most === g ? (b - r) / span + 2 : (r - g) / span + 4
  return hues.find(([until]) => sixth * 60 < until)![1]
}
