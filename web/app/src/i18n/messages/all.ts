import type { english } from './en'
import type { later } from './later'

// Messages are all that a language has to say.
export type Messages = typeof english & typeof later
