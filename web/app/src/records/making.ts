// Making is the form of a new record, for fields that lead to one which is not there yet. Forms consist of fields, so they are told of it.

import { type ComponentType, createContext, use } from 'react'
import type { Rec } from '../api/call'
import type { Resource } from '../schema/schema'
import type { Picked } from './names'

export type Given = Record<string, { value: unknown; picked?: Picked | null }>

export type MakingProps = { res: Resource; preset?: Given; onClose: () => void; onCreated?: (record: Rec) => void }

export const MakingContext = createContext<ComponentType<MakingProps>>(() => null)

export const useMakingForm = () => use(MakingContext)
