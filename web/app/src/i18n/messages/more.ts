// Whoever uses a message that the first screen does not need imports this file, which makes them known.

import { know } from '../translate'
import { later } from './later'

know(later)
