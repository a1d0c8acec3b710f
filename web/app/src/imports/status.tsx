// What an import is called, and how far it is.

import { said, t } from '../i18n/translate'
import { pluralLabel, type Resource } from '../schema/schema'
import { Chip } from '../ui/components'
import { busyStates } from './api'

// nameOf says what the rows of a file are. Only the archive of a business has more than one kind.
export const nameOf = (res?: Resource) => (res ? pluralLabel(res) : t('wholeBusiness'))

export const StatusBadge = ({ status }: { status: string }) => (
  <Chip color={status === 'succeeded' ? 'green' : status === 'failed' ? 'red' : busyStates.includes(status) ? 'yellow' : 'gray'}>
    {said(`import.${status}`, status)}
  </Chip>
)
