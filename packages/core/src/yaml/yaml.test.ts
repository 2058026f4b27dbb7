import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml, parseYamlDocument, parseYamlDocuments, toYaml, YamlError } from './index.js';

function problemsOf(text: string, options = {}): string[] {
  try {
    parseYaml(text, { file: 'f.yaml', ...options });
  } catch (error) {
    expect(error).toBeInstanceOf(YamlError);
    return (error as Error).message.split('\n');
  }
  return [];
}

describe('parseYaml: scalars as kubectl reads them', () => {
  const cases: readonly [text: string, want: unknown][] = [
    ['yes', true],
    ['On', true],
    ['y', true],
    ['no', false],
    ['OFF', false],
    ['N', false],
    ['True', true],
    ['"yes"', 'yes'],
    ["'true'", 'true'],
    ['yEs', 'yEs'],
    ['~', null],
    ['Null', null],
    ['12', 12],
    ['+12', 12],
    ['-12', -12],
    ['012', 10],
    ['0o14', 12],
    ['0x1F', 31],
    ['0b11', 3],
    ['-0b11', -3],
    ['09', 9],
    ['1_000', 1000],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['1.', 1],
    ['1e3', 1000],
    ['1:30', '1:30'],
    ['190:20:30', '190:20:30'],
    ['2001-01-01', '2001-01-01'],
    ['2001-12-14t21:59:43.10-05:00', '2001-12-14t21:59:43.10-05:00'],
    ['1.2.3', '1.2.3'],
    ['0x', '0x'],
    ['1e999', '1e999'],
    ['!!str 12', '12'],
    ['!!int "12"', 12],
    ['!!float 3', 3],
    ['!!binary aGVsbG8=', 'hello'],
    ['!!binary 77u/aA==', '\ufeffh'],
    ['|\n  a\n  b\n', 'a\nb\n'],
    ['>\n  a\n  b\n', 'a b\n'],
  ];
  it.each(cases)('%j', (text, want) => expect(parseYamlDocument(`v: ${text}`)).toEqual({ v: want }));
});

describe('parseYaml: documents', () => {
  it('reads several documents and skips empty ones', () => {
    expect(parseYaml('---\na: 1\n---\n# only a comment\n---\n---\n- b\n...\n')).toEqual([{ a: 1 }, ['b']]);
    expect(parseYaml('')).toEqual([]);
    expect(parseYaml('# nothing')).toEqual([]);
  });
  it('returns the document and the position of a value', () => {
    expect(parseYamlDocuments('a: 1\n---\n\n---\n# hi\nb: 2\n').map(({ document, line }) => [document, line])).toEqual([
      [1, 1],
      [3, 6],
    ]);
  });
  it('reads JSON', () => {
    expect(parseYaml('{\n\t"a": [1, true, null, "yes"],\n\t"b": {"c": 1.5}\n}')).toEqual([{ a: [1, true, null, 'yes'], b: { c: 1.5 } }]);
  });
  it('requires exactly one document if the caller expects one', () => {
    expect(() => parseYamlDocument('')).toThrow('expected one document, found none');
    expect(() => parseYamlDocument('a: 1\n---\nb: 2', { file: 'x.yaml' })).toThrow(
      'x.yaml:3:1 (document 2): expected one document, found 2',
    );
  });
  it('turns scalar keys into texts', () => {
    expect(parseYaml('1: a\ntrue: b\n1.5: c')).toEqual([{ '1': 'a', true: 'b', '1.5': 'c' }]);
  });
});

describe('parseYaml: anchors and merges', () => {
  it('copies the anchored value, so that nothing is shared', () => {
    const [value] = parseYaml('a: &x {m: 1}\nb: *x') as [{ a: object; b: object }];
    expect(value).toEqual({ a: { m: 1 }, b: { m: 1 } });
    expect(value.a).not.toBe(value.b);
  });
  it('the latest anchor of a name counts', () => expect(parseYaml('- &x 1\n- *x\n- &x 2\n- *x')).toEqual([[1, 1, 2, 2]]));
  it('merges maps; own keys win, then earlier sources', () => {
    expect(parseYaml('a: &a {x: 1, v: 1}\nb: &b {v: 2, z: 2}\nc:\n  <<: [*a, *b]\n  x: 9')).toEqual([
      { a: { x: 1, v: 1 }, b: { v: 2, z: 2 }, c: { x: 9, v: 1, z: 2 } },
    ]);
  });
});

it('parseYaml takes the last value of a duplicate key if the caller accepts these', () => {
  const found: [string, number][] = [];
  const onDuplicateKey = (key: string, line: number): unknown => found.push([key, line]);
  expect(parseYaml('a: 1\nb:\n  c: {d: 1, d: 2}\na: 3', { onDuplicateKey })).toEqual([{ a: 3, b: { c: { d: 2 } } }]);
  expect(found).toEqual([
    ['d', 3],
    ['a', 4],
  ]);
});

describe('parseYaml: errors name the position', () => {
  const cases: readonly [name: string, text: string, want: string[]][] = [
    ['duplicate keys', 'a: 1\nb: 2\na: 3', ['f.yaml:3:1 (document 1): duplicate key "a"']],
    ['duplicates after resolution', 'yes: 1\ntrue: 2', ['f.yaml:2:1 (document 1): duplicate key "true"']],
    ['the document', 'ok: 1\n---\na:\n  b: 1\n  b: 2', ['f.yaml:5:3 (document 2): duplicate key "b"']],
    [
      'several problems at once',
      'a: .inf\nb: !foo x',
      ['f.yaml:1:4 (document 1): .inf has no JSON form', 'f.yaml:2:9 (document 1): unknown tag !foo'],
    ],
    ['unknown anchors', 'a: *nope', ["f.yaml:1:4 (document 1): unknown anchor 'nope' referenced"]],
    ['anchors that contain themselves', 'a: &x\n  b: *x', ["f.yaml:2:6 (document 1): anchor 'x' value contains itself"]],
    ['maps as keys', '? {a: 1}\n: 2', ['f.yaml:1:3 (document 1): a key must be a string, a number or a boolean']],
    ['merging a scalar', '<<: 3', ['f.yaml:1:1 (document 1): map merge requires map or sequence of maps as the value']],
  ];
  it.each(cases)('%s', (_name, text, want) => expect(problemsOf(text)).toEqual(want));
  it('syntax errors', () => expect(problemsOf('a: [1\nb: 2')[0]).toMatch(/^f\.yaml:2:1 \(document 1\): /));
  it('tabs as indentation', () => expect(problemsOf('a:\n\tb: 1')[0]).toMatch(/^f\.yaml:2:1 \(document 1\): /));
});

describe('parseYaml: hostile texts', () => {
  it('limits the expansion of aliases', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(',')}]`);
    expect(problemsOf(`l0: &l0 lol\n${levels.join('\n')}`)).toEqual([expect.stringMatching(/aliases expand to too many nodes$/)]);
  });
  const deep: readonly [name: string, text: string, want: string][] = [
    ['brackets that never close', '['.repeat(1_000_000), 'f.yaml:1:201 (document 1)'],
    ['brackets that close', `a: 1\n---\n${'['.repeat(300)}${']'.repeat(300)}`, 'f.yaml:3:201 (document 2)'],
    ['brackets after others that were never open', `${']'.repeat(5000)}\n${'['.repeat(5000)}`, 'f.yaml:2:201 (document 1)'],
    ['maps in maps', '{a: '.repeat(100_000), 'f.yaml:1:801 (document 1)'],
    ['lists in one line', '- '.repeat(100_000), 'f.yaml:1:401 (document 1)'],
    ['complex keys', '? '.repeat(100_000), 'f.yaml:1:401 (document 1)'],
    ['indentation', Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'f.yaml:802:1 (document 1)'],
  ];
  it.each(deep)('bounds nesting: %s', (_name, text, want) => expect(problemsOf(text)).toEqual([`${want}: nested deeper than 200 levels`]));
  it('limits the number of tokens, if the caller does', () => {
    const list = '- a\n'.repeat(1_000);
    expect(problemsOf(list, { maxTokens: 10_000 })).toEqual([]);
    expect(problemsOf(list, { maxTokens: 1_000 })).toEqual([expect.stringMatching(/the text has more than 1000 YAML tokens$/)]);
  });
  it('counts the levels of block nesting exactly', () => {
    const block = (levels: number): string => Array.from({ length: levels }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
    expect(problemsOf(block(200))).toEqual([]);
    expect(problemsOf(block(220))[0]).toMatch(/nested deeper than 200 levels$/);
    expect(problemsOf(`${'{a: '.repeat(9)}1${'}'.repeat(9)}`, { maxDepth: 10 })).toEqual([]);
  });
  it('takes no block of text for nesting', () => {
    const block = Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i % 300)}- [ {`).join('\n');
    expect(parseYaml(`a: |2\n  ${block.replaceAll('\n', '\n  ')}\nb: 1\n`)).toEqual([{ a: `${block}\n`, b: 1 }]);
    expect(parseYaml(`a: "${'[ - '.repeat(1000)}"\nb: ${'x['.repeat(1000)}`)).toHaveLength(1);
  });
  it('reports the first problems of a text that is no YAML at all', () => expect(problemsOf('[]'.repeat(2000))).toHaveLength(50));
  it('bounds the length', () => expect(problemsOf('a'.repeat(100), { maxLength: 99 })).toEqual([expect.stringContaining('at most 99')]));
  it('keeps dangerous keys as plain own properties', () => {
    const [value] = parseYaml('__proto__: {polluted: true}\nconstructor: 1\na: {__proto__: 2}\n<<: {__proto__: 3, b: 4}') as [
      Record<string, unknown>,
    ];
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'a', 'b']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
  it('never throws anything but YamlError', () => {
    const unit = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '-',
      '[',
      ']',
      '{',
      '}',
      '&',
      '*',
      '!',
      '|',
      '>',
      "'",
      '"',
      '#',
      '?',
      ',',
      '<<',
      '%',
      '1',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        try {
          parseYaml(text);
        } catch (error) {
          expect(error).toBeInstanceOf(YamlError);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('toYaml', () => {
  it('looks like kubectl', () => {
    const object = { kind: 'Pod', apiVersion: 'v1', spec: { containers: [{ name: 'a', args: ['yes', '1', ''] }], w: {}, x: [] }, z: null };
    expect(toYaml(object)).toBe(
      [
        'apiVersion: v1',
        'kind: Pod',
        'spec:',
        '  containers:',
        '  - args:',
        '    - "yes"',
        '    - "1"',
        '    - ""',
        '    name: a',
        '  w: {}',
        '  x: []',
        'z: null',
        '',
      ].join('\n'),
    );
  });
  it('writes blocks for texts of several lines and does not fold long ones', () => {
    expect(toYaml({ a: 'x\ny\n' })).toBe('a: |\n  x\n  y\n');
    expect(toYaml({ a: 'word '.repeat(40).trim() }).split('\n')).toHaveLength(2);
  });
  it('repeats shared values', () => {
    const shared = { m: 1 };
    expect(toYaml([shared, shared])).toBe('- m: 1\n- m: 1\n');
  });
  it('of every short text of spaces, line breaks and marks is read back as that text', () => {
    const units = [' ', '\n', '\t', '\r', 'a', '#', '-'];
    let texts = [''];
    for (let length = 1; length <= 4; length++) {
      texts = texts.flatMap((text) => units.map((unit) => `${text}${unit}`));
      const value = { v: texts, nested: texts.map((text) => [{ '': text }]) };
      expect(parseYaml(toYaml(value))).toEqual([value]);
    }
  });

  it('is read back as the same value', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('1', '0', 'o', 'x', ':', '.', '_', '-', '+', 'e', 'n', 'y', '~', '\n', ' ', '#', '<') }),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('map'),
      ),
      list: fc.array(tie('any'), { maxLength: 4 }),
      map: fc.dictionary(text, tie('any'), { maxKeys: 4 }),
    })).any;
    fc.assert(
      fc.property(value, (original) => {
        const plain: unknown = JSON.parse(JSON.stringify({ v: original }));
        expect(parseYaml(toYaml(plain))).toEqual([plain]);
      }),
      { numRuns: 200 },
    );
  });
});
