// Messages of the app in the language of whoever reads them. English is part of the app; others are fetched.

import { english, type Messages } from './messages/en'

export type Language = 'en' | 'de'
export const languages: { code: Language; name: string }[] = [
  { code: 'en', name: 'English' },
  { code: 'de', name: 'Deutsch' },
]

let messages: Messages = english
let current: Language = 'en'

export const language = () => current

// locale is how dates and numbers are written: the browser's, where it is of the language.
export const locale = () => navigator.languages.find((l) => l.startsWith(current)) ?? current

export async function chooseLanguage(wanted?: string): Promise<void> {
  const known = languages.find((l) => l.code === (wanted ?? navigator.language.slice(0, 2)))
  current = known?.code ?? 'en'
  messages = current === 'de' ? (await import('./messages/de')).german : english
  document.documentElement.lang = current
}

export function t(key: keyof Messages, values: Record<string, string | number> = {}): string {
  let text = messages[key] ?? english[key]
  if ('count' in values) {
    const [one, other] = text.split(' || ')
    text = other !== undefined && values.count !== 1 ? other : one
  }
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? value.toLocaleString(locale()) : value
  })
}

// inSentence is a label in the middle of a sentence; German writes nouns with a capital letter everywhere.
export const inSentence = (label: string) => (current === 'de' ? label : label.toLowerCase())

// said gives the message of a key that is put together, or what stands for it where the catalogue has none.
export function said(key: string, otherwise: string): string {
  return (messages as Record<string, string>)[key] ?? otherwise
}
