import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ATTACK_CASES, type AttackCase } from './attack-cases.js';
import type { GeneratedFile } from './files.js';

/** The folders with tests. Scenarios that several test files share are in the same folders, without `.test` in their names. */
const FOLDERS = ['packages', 'test', 'tools'] as const;
const SKIPPED = new Set(['node_modules', 'dist', 'generated', 'gen']);

/** A test, or a row of a table test, whose title contains the name of a case. */
export interface NamedTest {
  readonly path: string;
  readonly title: string;
}

/** Returns the page that lists the tests that prove each attack case. */
export async function securityCaseFiles(root: string): Promise<readonly GeneratedFile[]> {
  const tests: NamedTest[] = [];
  for (const folder of FOLDERS)
    for await (const path of sources(root, folder)) tests.push(...namedTests(path, await readFile(join(root, path), 'utf8')));
  return [{ path: 'docs/security-cases.md', text: page(ATTACK_CASES, tests) }];
}

async function* sources(root: string, folder: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* sources(root, path);
    else if (entry.isFile() && isTest(path)) yield path;
  }
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || (path.startsWith('test/') && path.endsWith('.ts'));
}

/** Returns the string literals that name a case: titles of tests and suites, and the names of table rows. Comments are ignored. */
export function namedTests(path: string, text: string): readonly NamedTest[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, '');
  const literals = code.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*\bAT-\d\d\b(?:\\.|(?!\1)[^\\\n])*)\1/g);
  return [...literals].map(([, , title = '']) => ({ path, title: title.replaceAll(/\\(.)/g, '$1') }));
}

export function page(cases: readonly AttackCase[], tests: readonly NamedTest[]): string {
  const sections = cases.map((one) => section(one, testsOf(one, tests)));
  const missing = cases.filter((one) => testsOf(one, tests).length === 0 && one.gap === undefined).map(({ id }) => id);
  return [
    '<!-- Written by tools/gen from the titles of the tests: name a case there and run `npm run gen`. -->',
    '# Attack cases and their tests',
    '',
    'Each case must be refused or survived. A test belongs to a case if its title, the title of its suite or the name of its table row names the case.',
    'The [guide on security](guides/security.md) has the threat model behind them.',
    '',
    `Cases without a test: ${missing.length === 0 ? 'none' : missing.join(', ')}.`,
    '',
    ...sections,
  ].join('\n');
}

function section({ id, rule, gap }: AttackCase, tests: readonly NamedTest[]): string {
  const byPath = new Map<string, string[]>();
  for (const { path, title } of tests) byPath.set(path, [...(byPath.get(path) ?? []), quoted(title)]);
  const lines = [...byPath].map(([path, titles]) => `- \`${path}\`: ${[...new Set(titles)].join('; ')}`);
  return [
    `## ${id}`,
    '',
    rule,
    '',
    ...(lines.length > 0 ? lines : ['No test names this case.']),
    ...(gap === undefined ? [] : ['', `Not covered: ${gap}`]),
    '',
  ].join('\n');
}

function testsOf({ id }: AttackCase, tests: readonly NamedTest[]): readonly NamedTest[] {
  return tests.filter(({ title }) => title.includes(id));
}

/** Escapes characters that Markdown would interpret. */
function quoted(title: string): string {
  return title.replaceAll(/[\\`*_<>[\]|]/g, '\\$&').trim();
}
