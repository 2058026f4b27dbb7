import { expect, it } from 'vitest';
import { parseJson } from './json.js';

it.each([
  { name: 'an object', text: '{"a":[1]}', value: { a: [1] } },
  { name: 'null', text: 'null', value: null },
  { name: 'a text that ends too early', text: '{"a":', value: undefined },
  { name: 'an empty text', text: '', value: undefined },
])('parses $name', ({ text, value }) => {
  expect(parseJson(text)).toEqual(value);
});
