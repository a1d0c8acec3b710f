import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { RichText } from './rich-text'

const shown = (text: string) =>
  renderToStaticMarkup(<RichText text={text} names={new Map([['user_1', 'Ada']])} />).replace(/^<div[^>]*>|<\/div>$/g, '')

test('paragraphs, lines and lists stand as they were typed', () => {
  expect(shown('One\ntwo\n\nThree')).toBe('<p>One<br/>two</p><p>Three</p>')
  expect(shown('Wants:\n- a\n* b\n1. c\n2) d')).toBe('<p>Wants:</p><ul><li>a</li><li>b</li></ul><ol><li>c</li><li>d</li></ol>')
})

test('bold, italic and links are shown, and who is mentioned by name', () => {
  expect(shown('**40 kg** a *month* or _two_')).toBe('<p><strong>40 kg</strong> a <em>month</em> or <em>two</em></p>')
  expect(shown('See https://a.example/b_c.')).toContain('href="https://a.example/b_c"')
  expect(shown('[here](https://a.example)')).toContain('>here</a>')
  expect(shown('@[user_1] and @[user_2]')).toBe('<p><span class="mention">@Ada</span> and @[user_2]</p>')
})

test('nothing else becomes more than text', () => {
  expect(shown('<b>x</b> [x](javascript:alert(1)) 2 * 3 * 4 snake_case_word')).toBe(
    '<p>&lt;b&gt;x&lt;/b&gt; [x](javascript:alert(1)) 2 * 3 * 4 snake_case_word</p>',
  )
})
