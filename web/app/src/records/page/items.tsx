// What a record lists, such as the lines of a quote.

import type { Rec } from '../../api/call'
import { at, type Field, type Leaf } from '../../schema/schema'
import { Shown } from '../shown'

// ItemsTable shows a list of objects, such as the lines of a quote: only columns that have something to tell.
export function ItemsTable({ leaf, record }: { leaf: Leaf; record: Rec }) {
  const items = at(record, leaf.path) as Rec[]
  const shown = leaf.fields!.filter(
    (f) =>
      f.kind !== 'reference' &&
      f.kind !== 'long_text' &&
      f.name !== 'currency' &&
      f.name !== 'id' &&
      items.some((i) => i[f.name] !== null && i[f.name] !== undefined && i[f.name] !== 0),
  )
  // What else is a text, such as a number by which a product is ordered, stands under the name: what it costs is to fit beside it.
  const [name, ...more] = shown.filter((f) => f.kind === 'text')
  const columns = shown.filter((f) => !more.includes(f))
  const cell = (f: Field, item: Rec) => (
    <Shown leaf={{ ...f, path: f.name }} record={{ ...item, currency: item.currency ?? record.currency }} />
  )
  return (
    <div className="panel items">
      <h2>{leaf.label}</h2>
      <div className="scroll" tabIndex={0} role="region" aria-label={leaf.label}>
        <table>
          <thead>
            <tr>
              {columns.map((f) => (
                <th key={f.name} scope="col" className={['money', 'decimal', 'percent', 'integer'].includes(f.kind) ? 'right' : ''}>
                  {f.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item, i) => (
              <tr key={i}>
                {columns.map((f) => (
                  <td key={f.name} className={['money', 'decimal', 'percent', 'integer'].includes(f.kind) ? 'right' : ''}>
                    {cell(f, item)}
                    {f === name &&
                      more.map((m) =>
                        item[m.name] ? (
                          <div key={m.name} className="soft" title={m.label}>
                            {cell(m, item)}
                          </div>
                        ) : null,
                      )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
