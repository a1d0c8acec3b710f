import { describe, expect, test } from 'vitest'
import { type Line, plain, scaled, sums } from './sums'

const line = (quantity: string, unit_price: string, discount_percent = '', tax_rate = ''): Line => ({
  name: 'x',
  quantity,
  unit_price,
  discount_percent,
  tax_rate,
})

describe('decimals', () => {
  test.each([
    ['0', '0.00'],
    ['1', '1.00'],
    ['0.1', '0.10'],
    ['-0.0001', '-0.0001'],
    ['1234.5', '1234.50'],
    ['7.005', '7.005'],
    ['99999999999999.9999', '99999999999999.9999'],
    ['12.', '12.00'],
  ])('%s is %s', (text, written) => {
    expect(plain(scaled(text)!)).toBe(written)
  })
  test.each(['', 'x', '1,5', '1.00001', '1e3', '100000000000000', '.5', '--1'])('%s is none', (text) => expect(scaled(text)).toBeNull())
})

describe('sums', () => {
  test('as the server: each part is rounded by line', () => {
    expect(sums([line('2', '1234.5', '10', '25')], 'EUR')).toEqual({
      lines: ['2222.10'],
      subtotal: '2469.00',
      discount: '246.90',
      net: '2222.10',
      tax: '555.53',
      total: '2777.63',
    })
    expect(sums([line('3', '0.335'), line('1', '0.005', '', '50')], 'EUR')).toEqual({
      lines: ['1.01', '0.01'],
      subtotal: '1.02',
      discount: '0.00',
      net: '1.02',
      tax: '0.01',
      total: '1.03',
    })
  })
  test('what floating numbers get wrong', () => {
    expect(sums([line('3', '0.1'), line('1', '1.005')], 'EUR').total).toBe('1.31')
    expect(sums([line('1', '90071992547409.93')], 'EUR').total).toBe('90071992547409.93')
  })
  test('by the smallest unit of the currency', () => {
    expect(sums([line('1', '100.5', '', '10')], 'JPY')).toMatchObject({ lines: ['101.00'], tax: '10.00', total: '111.00' })
    expect(sums([line('1', '0.1235')], 'KWD').total).toBe('0.124')
    expect(sums([line('1', '0.125')]).total).toBe('0.13')
  })
  test('half goes away from zero on both sides', () =>
    expect(sums([line('1', '-0.005'), line('1', '0.005')], 'EUR').lines).toEqual(['-0.01', '0.01']))
  test('a line that cannot be read counts nothing', () =>
    expect(sums([line('a', '1'), line('1', '2')], 'EUR')).toMatchObject({ lines: [null, '2.00'], total: '2.00' }))
})
