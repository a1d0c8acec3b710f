import { expect, test } from 'vitest'
import { beginning, fitting, withIDs } from './mention-box'

const people: [string, string][] = [
  ['user_1', 'Anna Lund'],
  ['user_2', 'Anna'],
  ['user_3', 'Zoë Berg'],
]

test('an @ at the beginning of a word begins a mention', () => {
  expect(beginning('@', 1)).toEqual({ at: 0, word: '' })
  expect(beginning('see @An', 7)).toEqual({ at: 4, word: 'An' })
  expect(beginning('anna@lund', 9)).toBeNull()
  expect(beginning('@Anna is', 8)).toBeNull()
})

test('who has a name that begins so is offered', () => {
  expect(fitting(people, 'an')).toEqual(people.slice(0, 2))
  expect(fitting(people, 'lu')).toEqual([people[0]])
  expect(fitting(people, 'zoe')).toEqual([people[2]])
})

test('what is saved names people by their ids, the longest name first', () => {
  expect(withIDs('@Anna Lund and @Anna, (@Zoë Berg) not@Anna', people)).toBe('@[user_1] and @[user_2], (@[user_3]) not@Anna')
  expect(withIDs('@Annabel', people)).toBe('@Annabel')
})
