// The days of a calendar, as texts: 2026-11-19.

import { localDay } from './late'

// dayAfter is the day so many days later, or earlier.
export const dayAfter = (day: string, days: number) => {
  const [y, m, d] = day.split('-').map(Number)
  return localDay(new Date(y, m - 1, d + days))
}

export const monthAfter = (month: string, months: number) => {
  const [y, m] = month.split('-').map(Number)
  return localDay(new Date(y, m - 1 + months, 1)).slice(0, 7)
}

// weeksOf are the whole weeks in which a month lies. The first day of a week is 1 for Monday to 7 for Sunday.
export function weeksOf(month: string, first = 1): string[][] {
  const [y, m] = month.split('-').map(Number)
  const begin = new Date(y, m - 1, 1)
  let day = localDay(new Date(y, m - 1, 1 - ((begin.getDay() - first + 7) % 7)))
  const weeks: string[][] = []
  for (const after = monthAfter(month, 1); day < `${after}-01`; day = dayAfter(day, 7))
    weeks.push([0, 1, 2, 3, 4, 5, 6].map((i) => dayAfter(day, i)))
  return weeks
}

// firstDay is the day with which weeks begin where a language is spoken.
export function firstDay(where: string): number {
  const known = new Intl.Locale(where) as Intl.Locale & { getWeekInfo?: () => { firstDay: number } }
  return known.getWeekInfo?.().firstDay ?? 1
}

// onDay moves a moment to another day, and leaves the time of day as it is.
export function onDay(moment: string, day: string): string {
  const at = new Date(moment)
  const [y, m, d] = day.split('-').map(Number)
  return new Date(y, m - 1, d, at.getHours(), at.getMinutes(), at.getSeconds()).toISOString()
}

// beginOf is the moment at which a day begins here.
export function beginOf(day: string, hour = 0): string {
  const [y, m, d] = day.split('-').map(Number)
  return new Date(y, m - 1, d, hour).toISOString()
}
