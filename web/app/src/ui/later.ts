// When something comes back that is put off.

import { t } from '../i18n/translate'

export function later(now = new Date()): { key: string; label: string; at: Date }[] {
  const day = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9)
  return [
    { key: 'hour', label: t('snoozeHour'), at: new Date(now.getTime() + 3_600_000) },
    { key: 'tomorrow', label: t('snoozeTomorrow'), at: day(1) },
    { key: 'week', label: t('snoozeWeek'), at: day((8 - now.getDay()) % 7 || 7) },
  ]
}
