import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTemplateText, type TemplatePart } from './placeholders.js';

describe('parseTemplateText', () => {
  it.each([
    { text: '', want: [] },
    { text: 'plain } text {', want: ['plain } text {'] },
    { text: '{{A}}', want: [{ variable: 'A' }] },
    { text: 'x{{ A_1 }}y{{_b}}', want: ['x', { variable: 'A_1' }, 'y', { variable: '_b' }] },
    { text: '\\{{A}}', want: ['{{A}}'] },
    { text: 'a\\{{{{B}}c', want: ['a{{', { variable: 'B' }, 'c'] },
    { text: 'back\\slash {{A}}', want: ['back\\slash ', { variable: 'A' }] },
  ])('$text', ({ text, want }) => {
    expect(parseTemplateText(text)).toEqual({ parts: want });
  });

  it.each(['{{', '{{A', '{{}}', '{{ }}', '{{A B}}', '{{1A}}', '{{a-b}}', '{{.Values.x}}', '{{{A}}}', 'ok {{A}} then {{ }}'])(
    'refuses %s',
    (text) => {
      expect(parseTemplateText(text)).toHaveProperty('problem');
    },
  );

  it('returns the literals and variables that were joined', () => {
    const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,5}$/);
    const literal = fc.string().filter((text) => !/[{\\]/.test(text) && text !== '');
    const parts = fc.array(
      fc.oneof(
        literal,
        name.map((variable) => ({ variable })),
      ),
    );
    const merged = (list: readonly TemplatePart[]): TemplatePart[] =>
      list.reduce<TemplatePart[]>((done, part) => {
        const last = done.at(-1);
        return typeof part === 'string' && typeof last === 'string' ? [...done.slice(0, -1), last + part] : [...done, part];
      }, []);
    fc.assert(
      fc.property(parts, (list) => {
        const text = list.map((part) => (typeof part === 'string' ? part : `{{${part.variable}}}`)).join('');
        expect(parseTemplateText(text)).toEqual({ parts: merged(list) });
      }),
    );
  });
});
