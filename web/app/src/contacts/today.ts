// What contacts have on the first page: they are what most begin with.

import type { KindToday } from '../today/panel'

export const contactToday: KindToday = {
  begins: true,
  first: { title: 'addFirst', more: 'addFirstMore' },
  mine: { field: 'owner_id', operator: 'eq', value: '@me' },
  touched: true,
}
