// A text as people type one: paragraphs, lists, bold, italic and links. It is a part of Markdown, kept as it was written; all else in it is
// shown as it is.

import { Fragment, type ReactNode } from 'react'

// Bold, italic, a link with words, an address by itself, and somebody who is mentioned.
const inline = new RegExp(
  [
    String.raw`\*\*(\S(?:.*?\S)?)\*\*`,
    String.raw`(?<![\w*])[*_](\S(?:[^*_]*?\S)?)[*_](?![\w*])`,
    String.raw`\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)`,
    String.raw`(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])`,
    String.raw`@\[(\w+)\]`,
  ].join('|'),
  'g',
)

function link(to: string, words: ReactNode) {
  return (
    <a href={to} target="_blank" rel="noreferrer noopener">
      {words}
    </a>
  )
}

function spans(text: string, names?: Map<string, string>): ReactNode[] {
  const out: ReactNode[] = []
  let at = 0
  for (const m of text.matchAll(inline)) {
    if (m.index > at) out.push(text.slice(at, m.index))
    const [whole, bold, italic, words, to, bare, mentioned] = m
    if (bold !== undefined) out.push(<strong>{spans(bold, names)}</strong>)
    else if (italic !== undefined) out.push(<em>{spans(italic, names)}</em>)
    else if (to) out.push(link(to, words))
    else if (bare) out.push(link(bare, bare.replace(/^https?:\/\/(www\.)?/, '')))
    else out.push(names?.get(mentioned) ? <span className="mention">@{names.get(mentioned)}</span> : whole)
    at = m.index + whole.length
  }
  if (at < text.length) out.push(text.slice(at))
  return out.map((part, i) => <Fragment key={i}>{part}</Fragment>)
}

const bullet = /^\s*[-*•]\s+/
const numbered = /^\s*\d+[.)]\s+/

type Block = { kind: 'p' | 'ul' | 'ol'; lines: string[] }

// blocks are the paragraphs and lists of a text.
export function blocks(text: string): Block[] {
  const all: Block[] = []
  let open: Block | undefined
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    const kind: Block['kind'] = bullet.test(line) ? 'ul' : numbered.test(line) ? 'ol' : 'p'
    if (!line.trim()) {
      open = undefined
      continue
    }
    if (open?.kind !== kind) {
      open = { kind, lines: [] }
      all.push(open)
    }
    open.lines.push(kind === 'p' ? line : line.replace(kind === 'ul' ? bullet : numbered, ''))
  }
  return all
}

export function RichText({ text, names }: { text: string; names?: Map<string, string> }) {
  return (
    <div className="rich" dir="auto">
      {blocks(text).map((b, i) => {
        if (b.kind === 'p')
          return (
            <p key={i}>
              {b.lines.map((line, j) => (
                <Fragment key={j}>
                  {j > 0 && <br />}
                  {spans(line, names)}
                </Fragment>
              ))}
            </p>
          )
        const List = b.kind
        return (
          <List key={i}>
            {b.lines.map((line, j) => (
              <li key={j}>{spans(line, names)}</li>
            ))}
          </List>
        )
      })}
    </div>
  )
}
