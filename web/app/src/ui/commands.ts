// What can be done where one is: each part of a screen says so as long as it is there, the keys do it, and the palette lists it.

import { useEffect, useRef } from 'react'
import type { Act } from './keys'

// A command without a text is done by its key alone; what it is about stands behind the text, and another name finds it as well.
export type Command = { act?: Act; text?: string; also?: string; about?: string; icon?: string; run: () => void }

const offers = new Set<{ current: Command[] }>()

export function useCommands(commands: Command[]) {
  const mine = useRef(commands)
  useEffect(() => {
    mine.current = commands
  })
  useEffect(() => {
    offers.add(mine)
    return () => void offers.delete(mine)
  }, [])
}

export const commandsHere = () => [...offers].flatMap((offer) => offer.current)

// perform does what a key is for; it tells whether there was anything to do.
export function perform(act: Act): boolean {
  const command = commandsHere().findLast((c) => c.act === act)
  command?.run()
  return !!command
}
