import { expect, it } from 'vitest';
import { defined } from './defined.js';

it('drops members that are undefined, and keeps the others in their order', () => {
  const name: string | undefined = undefined;
  const found: { readonly name?: string; readonly count: number } = defined({ zone: null, name, count: 0, note: '' });
  expect(JSON.stringify(found)).toBe('{"zone":null,"count":0,"note":""}');
  expect('name' in found).toBe(false);
});
