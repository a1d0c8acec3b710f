// Whoever uses a message that the first screen does not need imports this file, which makes them known.

import { addMessages } from '../translate'
import { later } from './later'

addMessages(later)
