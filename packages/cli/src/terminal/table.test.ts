import { describe, expect, it } from 'vitest';
import { table, type TableColumn } from './table.js';

interface Row {
  readonly name: string;
  readonly state?: string;
}
const columns: readonly TableColumn<Row>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'STATE', cell: ({ state }) => (state ? { text: state, as: 'good' } : undefined) },
  { title: 'UID', cell: () => 'u1', wide: true },
];
const marked = { good: (t: string) => `<${t}>`, bad: String, warn: String, dim: String, bold: String };

describe('tables', () => {
  it('align columns, show a dash for nothing and hide wide columns', () => {
    expect(table(columns, [{ name: 'hello', state: 'ok' }, { name: 'a' }])).toBe('NAME    STATE\nhello   ok\na       -\n');
  });
  it('show wide columns on request', () => {
    expect(table(columns, [{ name: 'a', state: 'b' }], { wide: true })).toBe('NAME   STATE   UID\na      b       u1\n');
  });
  it('align by visible width: colours take no columns, wide characters two', () => {
    const text = table(
      columns,
      [
        { name: '監視', state: 'ok' },
        { name: 'four', state: 'ok' },
      ],
      { style: marked, wide: true, headers: false },
    );
    expect(text).toBe('監視   <ok>   u1\nfour   <ok>   u1\n');
  });
  it('AT-30 clean every cell: no control characters from data reach the terminal', () => {
    expect(table(columns, [{ name: '\u001b[2Jx', state: '\u202ex' }], { headers: false })).toBe('\\u001b[2Jx   \\u202ex\n');
  });
});
