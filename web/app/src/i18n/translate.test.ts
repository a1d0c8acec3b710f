import { describe, expect, it, vi } from 'vitest'
import { translateSchema } from '../schema/schema'
import { chooseLanguage, plain, t, translateSentence } from './translate'

describe('help of the schema', () => {
  it('is told without the signs of the reference', () => {
    expect(plain('What it is told of: `deal.won`, `deal.*` or `*`. See [events](#webhooks).')).toBe(
      'What it is told of: deal.won, deal.* or *.',
    )
    const field = {
      name: 'x',
      kind: 'text' as const,
      label: 'X',
      help: 'Such as `a`.',
      operators: [],
      sortable: false,
      required: false,
      read_only: false,
      custom: false,
      nullable: true,
    }
    const schema = translateSchema({ resources: [], business: { fields: [field] } })
    expect(schema.business?.fields[0].help).toBe('Such as a.')
  })
})

describe('sentences of the server', () => {
  it('are told in the language of the app where it knows them, and as they came where not', async () => {
    expect(translateSentence('must be from 1 to 3650')).toBe('must be from 1 to 3650')
    expect(translateSentence("The role member allows write only on one's own deals.")).toBe(
      'Your role, member, allows this only for what is your own.',
    )
    vi.stubGlobal('document', { documentElement: {} })
    await chooseLanguage('de')
    expect(translateSentence('must be from 1 to 3650')).toBe('muss zwischen 1 und 3650 liegen')
    expect(translateSentence('must be one of open, done, not "shut"')).toBe('muss eines von diesen sein: open, done')
    expect(translateSentence('The role viewer does not allow write on contacts.')).toBe('Ihre Rolle, viewer, erlaubt das nicht.')
    expect(translateSentence('nobody has thought of this')).toBe('nobody has thought of this')
    await chooseLanguage('en')
    vi.unstubAllGlobals()
  })
})

describe('sentences', () => {
  it('set names that run from right to left apart, and leave others alone', () => {
    expect(t('deletedOne', { name: 'ليلى' })).toBe('\u2068ليلى\u2069 was moved to the bin')
    expect(t('deletedOne', { name: 'Zoë' })).toBe('Zoë was moved to the bin')
  })
})
