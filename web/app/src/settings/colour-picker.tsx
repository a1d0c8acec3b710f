// The colour of an option or a stage, chosen out of eight.

import { Button as AriaButton, Menu as AriaMenu, MenuItem as AriaMenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { translateLabel } from '../i18n/translate'
import { sentence } from '../schema/schema'
import { colourOf, colours } from '../ui/colours'
import { Chip } from '../ui/components'

export function ColourPicker({
  label,
  value,
  disabled,
  onChange,
}: {
  label: string
  value: unknown
  disabled?: boolean
  onChange: (colour: string) => void
}) {
  const chosen = colourOf(value)
  const named = (colour: string) => translateLabel(sentence(colour))
  return (
    <MenuTrigger>
      <AriaButton className="colour" aria-label={`${label}: ${named(chosen)}`} isDisabled={disabled}>
        <span className={`swatch chip-${chosen}`} />
      </AriaButton>
      <Popover className="popover" placement="bottom start" offset={6}>
        <AriaMenu
          className="menu"
          aria-label={label}
          selectionMode="single"
          selectedKeys={[chosen]}
          onSelectionChange={(keys) => {
            const [key] = [...keys]
            if (key) onChange(String(key))
          }}
        >
          {colours.map((colour) => (
            <AriaMenuItem key={colour} id={colour} textValue={named(colour)} className="menu-item">
              <Chip color={colour}>{named(colour)}</Chip>
            </AriaMenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

// nextColour is one that the others have least, so that what is added can be told apart.
export function nextColour(others: unknown[]): string {
  const taken = others.map(colourOf)
  const times = (colour: string) => taken.filter((other) => other === colour).length
  const order = ['blue', 'yellow', 'purple', 'teal', 'orange', 'green', 'red', 'gray']
  return order.reduce((best, colour) => (times(colour) < times(best) ? colour : best))
}
