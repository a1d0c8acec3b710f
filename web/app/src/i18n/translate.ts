// Messages of the app in the language of whoever reads them. English is part of the app; others are fetched.

import type { Messages } from './messages/all'
import { english } from './messages/en'

export type Language = 'en' | 'de'
export const languages: { code: Language; name: string }[] = [
  { code: 'en', name: 'English' },
  { code: 'de', name: 'Deutsch' },
]

const inEnglish: Record<string, string> = { ...english }
let messages: Record<string, string> = inEnglish
let current: Language = 'en'
let labels: Record<string, string> | null = null
// Some sentences of the server are for who writes programs, and are said here to who reads the app.
const spoken: [RegExp, string][] = [
  [/^The role (.+) allows .* only on one's own .*$/, 'Your role, $1, allows this only for what is your own.'],
  [/^The role (.+) does not allow .*$/, 'Your role, $1, does not allow this.'],
]
let sentences = spoken

// addMessages adds messages that came later.
export const addMessages = (more: Record<string, string>) => void Object.assign(inEnglish, more)

export const language = () => current

// locale is how dates and numbers are written: the browser's, where it is of the language.
export const locale = () => navigator.languages.find((l) => l.startsWith(current)) ?? current

export async function chooseLanguage(wanted?: string): Promise<void> {
  const known = languages.find((l) => l.code === (wanted ?? navigator.language.slice(0, 2)))
  current = known?.code ?? 'en'
  messages = inEnglish
  labels = null
  sentences = spoken
  if (current === 'de')
    [{ german: messages }, { labels }, { sentences }] = await Promise.all([
      import('./messages/de'),
      import('./messages/de-labels'),
      import('./messages/de-sentences'),
    ])
  document.documentElement.lang = current
  // The server's own pages, such as the log-out, are in the language that was chosen here.
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has another way, and there is nothing to escape.
  if (wanted) document.cookie = `kith_language=${current}; path=/; max-age=31536000; samesite=lax`
}

// A name that runs from right to left is set apart from the sentence around it, so that its words keep their order.
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/

export function t(key: keyof Messages, values: Record<string, string | number> = {}): string {
  let text = messages[key] ?? inEnglish[key]
  if ('count' in values) {
    const [one, other] = text.split(' || ')
    text = other !== undefined && values.count !== 1 ? other : one
  }
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    if (typeof value === 'number') return value.toLocaleString(locale())
    return rightToLeft.test(value) ? `\u2068${value}\u2069` : value
  })
}

// plain leaves out the signs by which help is set in the reference of the API.
export const plain = (help: string) =>
  help
    .replace(/ See \[[^\]]*\]\([^)]*\)\./g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')

// written are labels that the API makes of the names of values, as people write them.
const written: Record<string, string> = { Email: 'E-mail', Url: 'URL', Datetime: 'Date and time', Gray: 'Grey' }

// translateLabel gives a label or a help of the API, which are in English, in the language of whoever reads it.
export const translateLabel = (text: string, otherwise = text) => labels?.[text] ?? written[text] ?? otherwise

// inSentence is a label in the middle of a sentence; German writes nouns with a capital letter everywhere.
export const inSentence = (label: string) => (current === 'de' ? label : label.toLowerCase())

// knownSentence is a sentence of the server in the language of whoever reads it, or null where that does not know it.
export function knownSentence(sentence: string): string | null {
  const known = sentences.find(([form]) => form.test(sentence))
  return known ? sentence.replace(known[0], known[1]) : current === 'en' ? sentence : null
}

// translateSentence is a sentence of the server as far as the language knows it; otherwise as it came.
export const translateSentence = (sentence: string): string => knownSentence(sentence) ?? sentence

// said gives the message of a key that is put together, or what stands for it where the catalogue has none.
export function said(key: string, otherwise: string): string {
  return messages[key] ?? otherwise
}
