import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PlantedTree, plantTree } from './planted-tree.js';
import { ROOT } from './root.js';

/** Each violation is a separate file below a package's sources, so that one run of the linter proves all rules. */
const bans: readonly { readonly name: string; readonly rule: string; readonly code: string }[] = [
  ...[
    'setTimeout(() => undefined, 1);',
    'setInterval(() => undefined, 1);',
    'setImmediate(() => undefined);',
    'export const now = Date.now();',
    'export const today = new Date();',
    'export const start = performance.now();',
    'export const id = crypto.randomUUID();',
    "export const answer = fetch('https://example.com');",
    'export const home = process.env;',
    "console.log('here');",
  ].map((code) => ({ name: code, rule: 'eslint(no-restricted-globals)', code })),
  ...['export const dice = Math.random();', 'globalThis.setTimeout(() => undefined, 1);'].map((code) => ({
    name: code,
    rule: 'eslint(no-restricted-properties)',
    code,
  })),
  ...['node:fs', 'node:fs/promises', 'fs', 'node:net', 'node:http', 'node:https', 'node:http2', 'node:tls', 'node:child_process']
    .concat(['node:crypto', 'node:os', 'node:timers', 'node:timers/promises', 'node:worker_threads', 'node:perf_hooks'])
    .map((module) => ({
      name: `import of ${module}`,
      rule: 'eslint(no-restricted-imports)',
      code: `import * as it from '${module}';\nexport { it };`,
    })),
];

const typedRules = [
  { rule: 'typescript(no-floating-promises)', code: 'export function go(work: () => Promise<void>): void { work(); }' },
  {
    rule: 'typescript(no-misused-promises)',
    code: 'export function go(list: string[], work: () => Promise<void>): void { list.forEach(async () => { await work(); }); }',
  },
  { rule: 'typescript(await-thenable)', code: 'export async function go(n: number): Promise<number> { return await n; }' },
  {
    rule: 'typescript(switch-exhaustiveness-check)',
    code: "export function go(x: 'a' | 'b'): number { switch (x) { case 'a': return 1; } return 0; }",
  },
  {
    rule: 'typescript(consistent-type-imports)',
    code: "import { Thing } from './thing.js';\nexport function go(thing: Thing): Thing { return thing; }",
  },
  { rule: 'typescript(no-explicit-any)', code: 'export function go(x: any): void { void x; }' },
  { rule: 'typescript(no-unsafe-return)', code: 'export function go(text: string): string { return JSON.parse(text); }' },
  {
    rule: 'typescript(no-unsafe-assignment)',
    code: 'export function go(text: string): void { const x: string = JSON.parse(text); void x; }',
  },
  { rule: 'typescript(no-unsafe-member-access)', code: 'export function go(text: string): void { void JSON.parse(text).name; }' },
  { rule: 'typescript(no-unsafe-call)', code: 'export function go(text: string): void { JSON.parse(text)(); }' },
  {
    rule: 'typescript(no-unsafe-argument)',
    code: 'export function go(text: string, use: (s: string) => void): void { use(JSON.parse(text)); }',
  },
  { rule: 'typescript(no-non-null-assertion)', code: 'export function go(x: string | undefined): string { return x!; }' },
  { rule: 'import(no-default-export)', code: 'export default 1;' },
];

const everything = [
  "import { readFileSync } from 'node:fs';",
  "export const text = readFileSync('x', 'utf8') + String(Date.now()) + String(Math.random()) + process.pid;",
  'setTimeout(() => console.log(text), 1);',
].join('\n');

const exemptPlaces = ['packages/hub/src/adapters/clock.ts', 'packages/hub/src/a/adapters/b.ts', 'packages/hub/src/clock.test.ts']
  .concat(['packages/hub/src/fixtures.ts', 'packages/cli/src/main.ts', 'tools/x.ts', 'test/x.ts'])
  .map((path) => ({ path }));

interface Finding {
  readonly code: string;
  readonly filename: string;
}

describe('lint configuration', () => {
  let tree: PlantedTree;
  let findings: readonly Finding[];

  beforeAll(() => {
    tree = plantTree(
      {
        ...Object.fromEntries(bans.map(({ code }, i) => [`packages/hub/src/ban-${i}.ts`, code])),
        ...Object.fromEntries(typedRules.map(({ code }, i) => [`packages/hub/src/typed-${i}.ts`, code])),
        ...Object.fromEntries(exemptPlaces.map(({ path }) => [path, everything])),
        'packages/hub/src/thing.ts': 'export interface Thing { readonly name: string }',
        'packages/core/src/time.ts': 'export const t = new Date(0);\nexport const r = Math.random();',
        'packages/hub/src/time.ts': 'export const t = new Date(0);',
        'packages/hub/src/Wrong_Name.ts': 'export const x = 1;',
        'tsconfig.json': JSON.stringify({
          extends: './tsconfig.base.json',
          compilerOptions: { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
          include: ['packages', 'tools', 'test'],
        }),
      },
      ['.oxlintrc.json', 'tsconfig.base.json'],
    );
    const result = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['--type-aware', '--format', 'json'], {
      cwd: tree.folder,
      encoding: 'utf8',
    });
    findings = (JSON.parse(result.stdout) as { diagnostics: readonly Finding[] }).diagnostics;
  });
  afterAll(() => tree.remove());

  const rulesBroken = (path: string): string[] => findings.filter(({ filename }) => filename === path).map(({ code }) => code);

  it.each(bans.map((ban, i) => ({ ...ban, i })))('reports $name in a package', ({ rule, i }) => {
    expect(rulesBroken(`packages/hub/src/ban-${i}.ts`)).toContain(rule);
  });
  it.each(typedRules.map((typed, i) => ({ ...typed, i })))('enforces $rule', ({ rule, i }) => {
    expect(rulesBroken(`packages/hub/src/typed-${i}.ts`)).toContain(rule);
  });
  it.each(exemptPlaces)('lets $path touch the machine', ({ path }) => {
    expect(rulesBroken(path).filter((rule) => rule.includes('restricted'))).toEqual([]);
  });
  it('lets core/src/time.ts, and no other file, convert with Date', () => {
    expect(rulesBroken('packages/core/src/time.ts')).toEqual(['eslint(no-restricted-properties)']);
    expect(rulesBroken('packages/hub/src/time.ts')).toEqual(['eslint(no-restricted-globals)']);
  });
  it('wants file names in kebab case', () => {
    expect(rulesBroken('packages/hub/src/Wrong_Name.ts')).toEqual(['unicorn(filename-case)']);
  });
});
