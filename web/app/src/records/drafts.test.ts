import { beforeEach, describe, expect, test } from 'vitest'
import { dropOld, keepDraft, readDraft } from './drafts'

const day = 86_400_000

function storage(): Storage {
  const all = new Map<string, string>()
  return {
    get length() {
      return all.size
    },
    key: (i) => [...all.keys()][i] ?? null,
    getItem: (k) => all.get(k) ?? null,
    setItem: (k, v) => void all.set(k, v),
    removeItem: (k) => void all.delete(k),
    clear: () => all.clear(),
  }
}

describe('drafts', () => {
  let kept: Storage
  beforeEach(() => {
    kept = storage()
  })
  test('are kept until they are what one began with', () => {
    keepDraft(kept, 'kith.draft.a', { text: 'Calls back' }, { text: '' }, 0)
    expect(readDraft(kept, 'kith.draft.a', day)).toEqual({ at: 0, value: { text: 'Calls back' } })
    keepDraft(kept, 'kith.draft.a', { text: '' }, { text: '' }, 0)
    expect(kept.length).toBe(0)
  })
  test('are dropped after thirty days, and nothing else with them', () => {
    keepDraft(kept, 'kith.draft.old', 'x', '', 0)
    keepDraft(kept, 'kith.draft.new', 'y', '', 2 * day)
    kept.setItem('kith.recent', '[]')
    kept.setItem('kith.draft.broken', '{')
    expect(readDraft(kept, 'kith.draft.old', 30 * day)).toBeNull()
    dropOld(kept, 30 * day)
    expect(Array.from({ length: kept.length }, (_, i) => kept.key(i))).toEqual(['kith.draft.new', 'kith.recent'])
  })
  test('that find no room do not stand in the way', () => {
    kept.setItem = () => {
      throw new Error('QuotaExceededError')
    }
    keepDraft(kept, 'kith.draft.a', 'x', '', 0)
    expect(readDraft(kept, 'kith.draft.a')).toBeNull()
  })
})
