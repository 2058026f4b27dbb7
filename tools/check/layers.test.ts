import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { checkLayers, LAYERS } from './layers.js';
import { importsOf } from './modules.js';
import { linkPackage, type PlantedTree, plantTree } from './planted-tree.js';

const PACKAGES = ['core', 'api', 'rules', 'kube', 'control-plane', 'hub', 'agent', 'simulator', 'cli'];
const ENTRIES = ['schema', 'cel', 'hash', 'regex', 'x509', 'yaml'];

/** A small tree without violations. The table allows every import in it. */
const legal: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PACKAGES.map((name) => [`packages/${name}/package.json`, manifest(name)])),
  ...Object.fromEntries(PACKAGES.map((name) => [`packages/${name}/src/index.ts`, 'export const it = 1;'])),
  ...Object.fromEntries(ENTRIES.map((entry) => [`packages/core/src/${entry}/index.ts`, 'export const it = 1;'])),
  'package.json': JSON.stringify({ name: 'planted', type: 'module' }),
  'node_modules/some-package/package.json': JSON.stringify({ name: 'some-package', version: '1.0.0', main: 'index.js' }),
  'node_modules/some-package/index.js': 'module.exports = 1;',
  'packages/kube/testing/index.ts': 'export const it = 1;',
  'packages/core/src/types.ts': "import type { it } from './schema/index.js';\nexport type It = typeof it;",
  'packages/core/src/more.ts': 'export const more = 1;',
  'packages/core/src/index.ts': "export type { It } from './types.js';\nimport './types.js';\nexport * from './more.js';",
  'packages/hub/src/use.ts':
    "import { it } from '@outrigger/core/schema';\nimport { it as kube } from '@outrigger/kube/testing';\nvoid [it, kube];",
  'packages/hub/src/decide.ts':
    "import type { it } from '@outrigger/kube';\nimport { it as core } from '@outrigger/core';\nexport const x: typeof it = core;",
  'packages/hub/src/use.test.ts': "import '@outrigger/control-plane';\nimport 'node:fs';",
  'packages/hub/src/adapters/disk.ts': "import 'node:fs';",
  'packages/control-plane/src/a.ts': "import type { B } from './b.js';\nexport interface A { readonly b: B }",
  'packages/control-plane/src/b.ts': "import type { A } from './a.js';\nexport interface B { readonly a: A }",
};

function manifest(name: string): string {
  const entry = (path: string): { source: string } => ({ source: path });
  const sides = Object.fromEntries(ENTRIES.map((side) => [`./${side}`, entry(`./src/${side}/index.ts`)]));
  return JSON.stringify({
    name: `@outrigger/${name}`,
    type: 'module',
    exports: { '.': entry('./src/index.ts'), './testing': entry('./testing/index.ts'), ...(name === 'core' ? sides : {}) },
    dependencies: Object.fromEntries(PACKAGES.map((other) => [`@outrigger/${other}`, '0.1.0'])),
  });
}

/** Imports that the simulator's model must not have. */
const FORBIDDEN_TO_THE_MODEL = ['@outrigger/hub', '@outrigger/rules', '@outrigger/api', '@outrigger/core', '@outrigger/kube', 'node:fs'];

const violations: readonly { readonly name: string; readonly file: string; readonly code: string; readonly breach: string }[] = [
  { name: 'core importing a package above it', file: 'packages/core/src/x.ts', code: "import '@outrigger/kube';", breach: 'layer:core' },
  { name: 'api importing kube', file: 'packages/api/src/x.ts', code: "import '@outrigger/kube';", breach: 'layer:api' },
  {
    name: 'a type alone crossing a layer',
    file: 'packages/kube/src/x.ts',
    code: "import type { it } from '@outrigger/api';\nexport type T = typeof it;",
    breach: 'layer:kube',
  },
  {
    name: 'control-plane importing kube',
    file: 'packages/control-plane/src/x.ts',
    code: "import '@outrigger/kube';",
    breach: 'layer:control-plane',
  },
  { name: 'hub importing agent', file: 'packages/hub/src/x.ts', code: "import '@outrigger/agent';", breach: 'layer:hub' },
  { name: 'agent importing hub', file: 'packages/agent/src/x.ts', code: "import '@outrigger/hub';", breach: 'layer:agent' },
  { name: 'rules importing kube', file: 'packages/rules/src/x.ts', code: "import '@outrigger/kube';", breach: 'layer:rules' },
  { name: 'node in rules', file: 'packages/rules/src/x.ts', code: "import 'node:fs';", breach: 'browser-safe' },
  { name: 'a package in rules', file: 'packages/rules/src/x.ts', code: "import 'some-package';", breach: 'rules-have-no-dependencies' },
  {
    name: 'two folders of rules that need each other, one of them for a type',
    file: 'packages/rules/src/one/x.ts',
    code: "import '../two/needed.js';",
    breach: 'no-folder-cycles',
  },
  {
    name: 'two controllers that need each other',
    file: 'packages/hub/src/controllers/one/x.ts',
    code: "import '../two/needed.js';",
    breach: 'no-folder-cycles',
  },
  ...FORBIDDEN_TO_THE_MODEL.map((specifier) => ({
    name: `the simulator's model importing ${specifier}`,
    file: 'packages/simulator/src/model/x.ts',
    code: `import '${specifier}';`,
    breach: 'model-stands-alone',
  })),
  {
    name: "a type of the world in the simulator's model",
    file: 'packages/simulator/src/model/x.ts',
    code: "import type { it } from '../index.js';\nexport type T = typeof it;",
    breach: 'model-stands-alone',
  },
  {
    name: "the simulator's engine importing the world",
    file: 'packages/simulator/src/engine/x.ts',
    code: "import '../index.js';",
    breach: 'engine-below-the-world',
  },
  {
    name: 'the simulator importing rules',
    file: 'packages/simulator/src/x.ts',
    code: "import '@outrigger/rules';",
    breach: 'layer:simulator',
  },
  { name: 'node in core', file: 'packages/core/src/x.ts', code: "import 'node:fs';", breach: 'browser-safe' },
  { name: 'node in the console app', file: 'packages/console/src/w.tsx', code: "import 'node:fs';", breach: 'browser-safe' },
  { name: 'the console app imports kube', file: 'packages/console/src/x.tsx', code: "import '@outrigger/kube';", breach: 'layer:console' },
  { name: 'node in api', file: 'packages/api/src/x.ts', code: "import 'node:path';", breach: 'browser-safe' },
  { name: 'a package in core', file: 'packages/core/src/x.ts', code: "import 'some-package';", breach: 'core-has-no-dependencies' },
  { name: 'a package in api', file: 'packages/api/src/x.ts', code: "import 'some-package';", breach: 'api-has-no-dependencies' },
  {
    name: 'a side entry using a package it has no business with',
    file: 'packages/core/src/yaml/x.ts',
    code: "import 'some-package';",
    breach: 'core-entry:yaml',
  },
  { name: 'node in a decision', file: 'packages/hub/src/decide-rollout.ts', code: "import 'node:path';", breach: 'decide-is-pure' },
  {
    name: 'reaching past an index',
    file: 'packages/hub/src/x.ts',
    code: "import '../../kube/src/private.js';",
    breach: 'through-the-index',
  },
  { name: 'an import that is not in package.json', file: 'packages/hub/src/x.ts', code: "import 'some-package';", breach: 'declared' },
  { name: 'product code importing a test', file: 'packages/hub/src/x.ts', code: "import './use.test.js';", breach: 'tests-stay-out' },
  { name: 'an import of nothing', file: 'packages/hub/src/x.ts', code: "import './nowhere.js';", breach: 'resolvable' },
  {
    name: 'the index of core loading a side entry',
    file: 'packages/core/src/types.ts',
    code: "export * from './yaml/index.js';",
    breach: 'core-index-is-light',
  },
  {
    name: 'a decision running code of kube',
    file: 'packages/hub/src/decide-x.ts',
    code: "import { it } from '@outrigger/kube';\nvoid it;",
    breach: 'decide-uses-kube-types-only',
  },
  {
    name: 'a decision reaching an adapter',
    file: 'packages/hub/src/decide-x.ts',
    code: "import './adapters/disk.js';",
    breach: 'decide-does-no-io',
  },
  { name: 'a cycle', file: 'packages/kube/src/x.ts', code: "import './y.js';", breach: 'no-cycles' },
  {
    name: 'the index of core loading a package',
    file: 'packages/core/src/more.ts',
    code: "import 'some-package';",
    breach: 'core-index-is-light',
  },
];

describe('layer rules', () => {
  let tree: PlantedTree | undefined;
  afterEach(() => tree?.remove());

  function breachesOf(files: Readonly<Record<string, string>>): string[] {
    tree = plantTree(files, []);
    for (const name of PACKAGES) linkPackage(tree, name);
    return checkLayers(tree.folder);
  }

  it('find nothing wrong with a tree that follows the table', () => {
    expect(breachesOf(legal)).toEqual([]);
  });
  it('fail when there is nothing to check', () => {
    expect(breachesOf({ 'packages/core/readme.md': '' })).toEqual(['no modules were found: the layer check checks nothing']);
  });
  it('report every planted violation, and each by its own rule', () => {
    const planted = violations.map((violation, i) => ({ ...violation, file: inItsOwnFile(violation.file, i) }));
    const cycle = violations.findIndex(({ breach }) => breach === 'no-cycles');
    const files = {
      ...legal,
      'packages/kube/src/private.ts': 'export const it = 1;',
      'packages/kube/src/y.ts': `import './x-${cycle}.js';`,
      ...folderCycles,
    };
    const breaches = breachesOf({ ...files, ...Object.fromEntries(planted.map(({ file, code }) => [file, code])) });
    const missed = planted.filter(({ breach, file }) => !breaches.some((line) => line.startsWith(`${breach}: `) && line.includes(file)));
    expect(missed.map(({ name }) => name)).toEqual([]);
  });
});

/** The first half of each planted folder cycle. The rule allows it as long as the second half is missing. */
const folderCycles: Readonly<Record<string, string>> = Object.fromEntries(
  ['packages/rules/src', 'packages/hub/src/controllers'].flatMap((folder) => [
    [`${folder}/one/part.ts`, 'export const part = 1;'],
    [`${folder}/two/needed.ts`, "import type { part } from '../one/part.js';\nexport type Part = typeof part;"],
  ]),
);

/**
 * Returns the path for a planted file. Files that the index of core imports must keep their names. The others get a number, so that they do
 * not overwrite each other.
 */
function inItsOwnFile(file: string, i: number): string {
  return /\/(types|more)\.ts$/.test(file) ? file : file.replace(/\.ts$/, `-${i}.ts`);
}

describe('imports that run', () => {
  it.each([
    { text: "import { a } from './a.js';", loads: ['./a.js'] },
    { text: "import type { A } from './a.js';", loads: [] },
    { text: "import { type A } from './a.js';", loads: ['./a.js'] },
    { text: "export type { A } from './a.js';", loads: [] },
    { text: "export * from './a.js';", loads: ['./a.js'] },
    { text: "import './a.js';", loads: ['./a.js'] },
    { text: "const a = await import('./a.js');", loads: ['./a.js'] },
    { text: "import {\n  a,\n  b,\n} from './a.js';\nimport type {\n  C,\n} from './c.js';", loads: ['./a.js'] },
  ])('of $text are $loads', ({ text, loads }) =>
    expect(importsOf(text).flatMap(({ specifier, isLoaded }) => (isLoaded ? [specifier] : []))).toEqual(loads),
  );
});

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');

  it('has the table of the layers', () => {
    const rows = [...page.matchAll(/^\| `([a-z-]+)` \|.*\| ([^|]+) \|$/gm)].map(([, name = '', below = '']) => [
      name,
      [...namesIn(below)].sort(),
    ]);
    expect(Object.fromEntries(rows)).toMatchObject(
      Object.fromEntries(Object.entries(LAYERS).map(([name, below]) => [name, [...below].sort()])),
    );
  });

  it('has a diagram whose arrows, and the paths that they make, include every import that the table allows', () => {
    const arrows = new Map<string, string[]>();
    for (const [, from = '', to = ''] of page.matchAll(/^ {2}([a-z-]+) --> ([a-z&\s-]+?)$/gm))
      arrows.set(from, [...(arrows.get(from) ?? []), ...to.split('&').map((name) => name.trim())]);
    const below = (name: string): string[] => (arrows.get(name) ?? []).flatMap((next) => [next, ...below(next)]);
    for (const [name, allowed] of Object.entries(LAYERS)) {
      expect([name, allowed.filter((other) => !below(name).includes(other))]).toEqual([name, []]);
      expect([name, (arrows.get(name) ?? []).filter((other) => !allowed.includes(other))]).toEqual([name, []]);
    }
  });
});

/** Parses the last column of the table: a list of package names, `nothing`, or `all but` some names. */
function namesIn(text: string): readonly string[] {
  if (text === 'nothing') return [];
  const names = text.replace(/^all but /, '').split(/, | and /);
  if (!text.startsWith('all but ')) return names;
  return Object.keys(LAYERS).filter((name) => !names.includes(name) && name !== 'cli');
}
