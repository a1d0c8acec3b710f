import { beforeAll, describe, expect, test, vi } from 'vitest'
import { Problem } from '../api/call'
import { german } from '../i18n/messages/de'
import { chooseLanguage } from '../i18n/translate'
import { type Leaf, leaf } from '../schema/schema'
import { things } from '../schema/things.test-data'
import { unfinished } from '../ui/day-input'
import { faultOf, faults, problems, refusal, refusalOf, refusalsAt } from './refusals'

// The tables of codes in the reference are what there can be.
const [reference] = Object.values(import.meta.glob<string>('../../../../docs/api.md', { query: '?raw', import: 'default', eager: true }))
const codesUnder = (head: string) =>
  reference
    .slice(reference.indexOf(head))
    .split('\n\n')[0]
    .split('\n')
    .slice(2)
    .flatMap((row) => [...row.split('|')[1].matchAll(/`(\w+)`/g)].map((m) => m[1]))

const weight = { ...leaf(things, 'weight')!, minimum: 0, maximum: 100 } as Leaf
const refused = (status: number, code: string, detail: string, errors: Problem['errors'] = []) =>
  new Problem(status, { code, detail, errors })

describe('refusals', () => {
  beforeAll(() => {
    vi.stubGlobal('navigator', { languages: ['en-GB'] })
    vi.stubGlobal('document', { documentElement: {} })
  })
  test('have a sentence for every code of the reference, in both languages', () => {
    const all = [
      ...codesUnder('| Code | Status |').map((c) => problems[c] ?? c),
      ...codesUnder('| Field code |').map((c) => faults[c] ?? c),
    ]
    expect(all.length).toBeGreaterThan(50)
    for (const key of all) expect(german[key], key).toBeTruthy()
  })
  test('name the field as people know it, and say what to do', () => {
    const says = (code: string, message = 'x') =>
      refusalOf({ field: 'weight', code, message, said: message }, things, { ...weight, kind: 'integer' })
    expect(says('wrong_type')).toBe(`${weight.label} must be a number, such as 12.`)
    expect(says('out_of_range')).toBe(`${weight.label} must be from 0 to 100.`)
    expect(says('required')).toBe(`Fill in ${weight.label}.`)
    expect(says('too_many', 'must have at most 50 items')).toBe(`${weight.label} must have at most 50 items.`)
    expect(refusalOf({ field: 'title', code: 'required', message: 'give at least one of title, weight and made_by' }, things)).toMatch(
      /^Fill in at least one of these: \w+, [\w ]+, [\w ]+\.$/,
    )
  })
  test('stand at the fields of a form, those of items at their list', () => {
    const wrong = refused(422, 'validation_failed', '', [
      { field: 'weight', code: 'required', message: 'x' },
      { field: 'hosts[1]', code: 'not_unique', message: 'x' },
    ])
    expect(refusalsAt(wrong, [{ ...weight, label: 'How heavy' }])).toEqual({
      weight: 'Fill in How heavy.',
      hosts: 'Hosts: another record has this already. Open that one, or give something else.',
    })
    expect(refusalsAt(refused(409, 'conflict', 'x'), [])).toBeNull()
  })
  test('say what the API says where that tells more', () => {
    expect(refusal(refused(409, 'conflict', 'The stage is in use by 3 deals; change those first.'))).toMatch(/^The stage is in use/)
    expect(refusal(refused(422, 'validation_failed', 'The file cannot be read: it is empty.'))).toBe(
      'The file cannot be read: it is empty.',
    )
    expect(refusal(refused(405, 'method_not_allowed', 'Use POST.'))).toMatch(/Reload the page/)
    expect(refusal(refused(0, 'network', ''))).toMatch(/cannot be reached/)
  })
  test('are in the language of whoever reads them, whatever the API says', async () => {
    await chooseLanguage('de')
    expect(refusal(refused(409, 'conflict', 'Nobody has thought of this.'))).toMatch(/^Ein anderer Datensatz steht im Weg/)
    expect(refusal(refused(422, 'validation_failed', '', [{ field: 'weight', code: 'not_allowed', message: 'is odd' }]), things)).toMatch(
      /kann das nicht sein/,
    )
    await chooseLanguage('en')
  })
})

describe('values that are wrong before they are sent', () => {
  const of = (kind: Leaf['kind'], more: Partial<Leaf> = {}) =>
    ({ ...weight, kind, nullable: true, minimum: undefined, maximum: undefined, ...more }) as Leaf
  test.each([
    [of('integer'), 'abc', /must be a number/],
    [of('integer'), '1.5', /must be a number/],
    [of('integer', { maximum: 5 }), 7, /at most 5/],
    [of('money'), '12,', /must be a number/],
    [of('money'), '123.456', null],
    [of('email'), 'anna', /must be an e-mail address/],
    [of('email'), 'anna@example.com', null],
    [of('url'), 'example', /must be a web address/],
    [of('date'), unfinished, /must be a day/],
    [of('datetime'), unfinished, /must be a day/],
    [of('text', { nullable: false }), null, /^Fill in/],
    [of('text'), null, null],
  ])('%#', (l, value, says) => {
    if (says) expect(faultOf(l, value)).toMatch(says)
    else expect(faultOf(l, value)).toBeNull()
  })
})
