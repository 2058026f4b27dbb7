import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.js';

const PAGE = 'docs/seeds.md';

/** A test that docs/seeds.md names. The named part of the title must occur in the test file. */
interface NamedTest {
  readonly name: string;
  readonly file: string;
  readonly title: string;
}

/** Checks the page that maps each sentence of the enhancement documents to tests. */
export function checkSeeds(): string[] {
  const read = (file: string): string | undefined => (existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : undefined);
  return seedBreaches(read(PAGE) ?? '', read).map((breach) => `${PAGE}: ${breach}`);
}

/** Returns the errors in the page: rows without a test or a reason, names without a test, and tests that do not exist or are not used. */
export function seedBreaches(page: string, read: (file: string) => string | undefined): string[] {
  const rows = page.split('\n').flatMap((line, index) => (line.startsWith('| ') ? [{ number: index + 1, cells: cellsOf(line) }] : []));
  const tests = rows.flatMap(({ cells: [name = '', file = '', title = ''] }) =>
    /^\d/.test(name) || !file.includes('/') ? [] : [{ name, file, title }],
  );
  const sentences = rows.filter(({ cells: [line = ''] }) => /^\d+$/.test(line));
  if (sentences.length === 0) return ['no row begins with the line of a document'];

  const known = new Set(tests.map(({ name }) => name));
  const used = new Set<string>();
  const breaches = sentences.flatMap(({ number, cells: [, , shownBy = ''] }) => {
    const [names = '', reason] = shownBy.split(/(?:^|\. )Reading: /);
    const list = names.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
    for (const name of list) used.add(name);
    if (list.length === 0 && !reason) return [`line ${number}: name a test, or write "Reading: " and the reason`];
    return list.filter((name) => !known.has(name)).map((name) => `line ${number}: the table "Tests" has no row "${name}"`);
  });
  return [...breaches, ...tests.flatMap((test) => testBreaches(test, read, used))];
}

function testBreaches({ name, file, title }: NamedTest, read: (file: string) => string | undefined, used: ReadonlySet<string>): string[] {
  if (!used.has(name)) return [`test "${name}": no sentence uses it`];
  const text = read(file);
  if (text === undefined) return [`test "${name}": there is no file ${file}`];
  return title !== '' && text.includes(title) ? [] : [`test "${name}": ${file} has no title "${title}"`];
}

/** Returns the cells of a table row. `\|` is a bar inside a cell. */
function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
