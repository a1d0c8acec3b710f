// What the keys of a grid mean, by the pattern of ARIA: https://www.w3.org/WAI/ARIA/apg/patterns/grid/

// A place is a cell. Row -1 is the head, column 0 has the boxes to select with, and column 1 the names of the records.
export type Place = { row: number; col: number }

export type Extent = { rows: number; columns: number; page: number; withHead: boolean }

export type Step =
  | { does: 'move'; to: Place }
  | { does: 'select'; through: boolean }
  | { does: 'open' }
  | { does: 'edit' }
  | { does: 'visit' }

type Press = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; shiftKey: boolean }

// within is the nearest place that there is.
export const within = ({ row, col }: Place, { rows, columns, withHead }: Extent): Place => ({
  row: Math.max(withHead ? -1 : 0, Math.min(rows - 1, row)),
  col: Math.max(0, Math.min(columns, col)),
})

// stepOf is what a key does at a place; null where it is left to what has the focus there.
export function stepOf(press: Press, { row, col }: Place, extent: Extent): Step | null {
  if (press.altKey) return null
  const to = (row: number, col: number): Step => ({ does: 'move', to: within({ row, col }, extent) })
  const far = press.ctrlKey || press.metaKey
  switch (press.key) {
    case 'ArrowDown':
      return to(row + 1, col)
    case 'ArrowUp':
      return to(row - 1, col)
    case 'ArrowRight':
      return to(row, col + 1)
    case 'ArrowLeft':
      return to(row, col - 1)
    case 'Home':
      return to(far ? 0 : row, 0)
    case 'End':
      return to(far ? extent.rows - 1 : row, extent.columns)
    case 'PageDown':
      return to(row + extent.page, col)
    case 'PageUp':
      return to(Math.max(0, row - extent.page), col)
    case 'F2':
      return { does: 'edit' }
  }
  // Letters go from name to name, so that Enter opens what they have come to.
  if (!far && (press.key === 'j' || press.key === 'k')) return to(Math.max(0, row + (press.key === 'j' ? 1 : -1)), 1)
  // The buttons of the head do what they are for by themselves.
  if (row < 0) return null
  if (press.key === ' ') return { does: 'select', through: press.shiftKey }
  if (!far && press.key.toLowerCase() === 'x') return { does: 'select', through: press.shiftKey }
  if (press.key === 'Enter') return col === 0 ? { does: 'select', through: false } : { does: col === 1 ? 'open' : far ? 'visit' : 'edit' }
  return null
}
