// The layer table of ARCHITECTURE.md, as rules about every import, including imports of types. tools/check/layers.test.ts proves each rule
// with a planted violation. Rules about imports at run time (cycles, purity of decisions, weight of an index) are in run-time-rules.ts.
import { type Module, readModules, type Target } from './modules.js';
import { ROOT } from './root.js';
import { cycles, runTimeBreaches } from './run-time-rules.js';

/** Maps each package to the packages that it may import. The table and the diagram of ARCHITECTURE.md show the same. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  api: ['core'],
  rules: ['core', 'api'],
  kube: ['core'],
  'control-plane': ['core'],
  hub: ['core', 'api', 'rules', 'kube'],
  agent: ['core', 'api', 'kube'],
  'console-contract': [],
  'console-server': ['core', 'api', 'rules', 'kube', 'console-contract'],
  console: ['core', 'console-contract'],
  simulator: ['core', 'api', 'kube', 'hub', 'agent'],
  cli: ['core', 'api', 'rules', 'kube', 'hub', 'agent', 'control-plane', 'console-server'],
};

/** The packages that must run in a browser. */
const BROWSER_SAFE: readonly string[] = ['core', 'api', 'rules', 'console-contract', 'console'];

/** The packages whose folders must not depend on each other in cycles, not even for a type. */
const WITHOUT_FOLDER_CYCLES: readonly string[] = ['hub', 'rules'];

/** Maps each subpath export of core to the npm packages that it may import. */
const SIDE_ENTRIES: Readonly<Record<string, readonly string[]>> = {
  schema: [],
  cel: ['@marcbachmann/cel-js'],
  hash: ['@noble/hashes'],
  regex: ['re2js'],
  x509: ['@peculiar/x509', 'reflect-metadata'],
  yaml: ['yaml'],
};

const TEST = /\.(test|bench)\.ts$|\/fixtures\.ts$|\/fixtures\//;
const DECIDE = /\/decide[^/]*\.ts$/;
/** Matches the files through which other packages import a package. */
const ENTRY = new RegExp(
  `^packages/([^/]+/src/index|[^/]+/testing/index|kube/src/(adapters/index|engine)|hub/src/(controllers|planner/index)|agent/src/controllers|rules/src/[^/]+/index|control-plane/src/registry/builtin-kinds|core/src/(${Object.keys(SIDE_ENTRIES).join('|')})/index)\\.ts$`,
);

/** The folder of the simulator's model, which checks simulated runs. */
const MODEL = 'packages/simulator/src/model/';

/** An import in product code: the importing file and the target. */
interface Use {
  readonly file: string;
  readonly home: string;
  readonly target: Target;
}

/** Returns the name and the text of a rule if the import violates it. */
type Rule = (use: Use) => readonly [name: string, says: string] | undefined;

const RULES: readonly Rule[] = [
  ({ target }) => (target.type === 'nothing' ? ['resolvable', 'an import that resolves to nothing checks nothing'] : undefined),
  ({ home, target }) => {
    const below = LAYERS[home];
    if (below === undefined) return ['layer', `tools/check/layers.ts has no line for the package ${home}`];
    const other = packageOf(target);
    if (other === undefined || other === home || below.includes(other)) return undefined;
    return [`layer:${home}`, `${home} may import ${below.length > 0 ? below.join(', ') : 'no other package'}`];
  },
  ({ home, target }) =>
    BROWSER_SAFE.includes(home) && target.type === 'node' ? ['browser-safe', `${BROWSER_SAFE.join(', ')} run in a browser`] : undefined,
  ({ home, target }) =>
    home === 'api' && target.type === 'package' ? ['api-has-no-dependencies', 'the kinds are described with core alone'] : undefined,
  ({ home, target }) =>
    home === 'rules' && target.type === 'package' ? ['rules-have-no-dependencies', 'rules are written with core and api alone'] : undefined,
  ({ file, home, target }) => {
    if (home !== 'core' || target.type !== 'package') return undefined;
    const entry = /^packages\/core\/src\/([^/]+)\//.exec(file)?.[1] ?? '';
    const allowed = SIDE_ENTRIES[entry];
    if (allowed === undefined) return ['core-has-no-dependencies', 'only the side entries of core may use a package'];
    if (allowed.includes(target.name)) return undefined;
    return [`core-entry:${entry}`, `core/${entry} may use ${allowed.length > 0 ? allowed.join(', ') : 'no package'}`];
  },
  ({ file, target }) =>
    DECIDE.test(file) && target.type === 'node' ? ['decide-is-pure', 'a decision uses nothing of the machine'] : undefined,
  ({ home, target }) => {
    const other = packageOf(target);
    const isPastEntries = other !== undefined && other !== home && target.type === 'file' && !ENTRY.test(target.file);
    return isPastEntries ? ['through-the-index', 'a package is used through its entries'] : undefined;
  },
  ({ file, target }) => {
    const isModel = file.startsWith(MODEL);
    const isOutside = target.type === 'file' ? !target.file.startsWith(MODEL) : target.type !== 'node' || target.name !== 'node:crypto';
    return isModel && isOutside ? ['model-stands-alone', 'what judges the hub shares no code with it'] : undefined;
  },
  ({ file, target }) => {
    const isEngine = file.startsWith('packages/simulator/src/engine/');
    const isAbove = target.type === 'file' && /^packages\/simulator\/src\/(?!engine\/)/.test(target.file);
    return isEngine && isAbove ? ['engine-below-the-world', 'the engine knows no clusters, people or faults'] : undefined;
  },
  ({ target }) =>
    target.type === 'package' && !target.isDeclared ? ['declared', 'what a package imports is in its package.json'] : undefined,
  ({ target }) =>
    target.type === 'file' && (TEST.test(target.file) || /^(test|tools)\//.test(target.file))
      ? ['tests-stay-out', 'product code does not import tests']
      : undefined,
];

/** Returns the violations of the layer table in the packages below `folder`, as sentences. */
export function checkLayers(folder: string = ROOT): string[] {
  const modules = readModules(folder);
  if (modules.length === 0) return ['no modules were found: the layer check checks nothing'];
  const product = modules.filter(({ file }) => !TEST.test(file));
  const breaches = product.flatMap(({ file, imports }) => {
    const home = file.split('/')[1] ?? '';
    return imports.flatMap(({ specifier, target }) =>
      RULES.flatMap((rule) => {
        const [name, says] = rule({ file, home, target }) ?? [];
        return name === undefined ? [] : [`${name}: ${file} → ${target.type === 'file' ? target.file : specifier} (${says})`];
      }),
    );
  });
  return [...breaches, ...folderCycles(product), ...runTimeBreaches(modules)];
}

function packageOf(target: Target): string | undefined {
  return target.type === 'file' ? /^packages\/([^/]+)\//.exec(target.file)?.[1] : undefined;
}

/**
 * Returns pairs of folders in one package that import each other, directly or through others: one sentence per cycle that a search finds.
 */
function folderCycles(modules: readonly Module[]): string[] {
  const graph = new Map<string, Map<string, string>>();
  for (const { file, imports } of modules) {
    const from = folderOf(file);
    if (from === undefined) continue;
    const targets = graph.get(from) ?? new Map<string, string>();
    graph.set(from, targets);
    for (const { target } of imports) {
      const to = target.type === 'file' ? folderOf(target.file) : undefined;
      if (to !== undefined && to !== from && !targets.has(to)) targets.set(to, file);
    }
  }
  return cycles(new Map([...graph].map(([folder, targets]) => [folder, [...targets.keys()]]))).map((path) => {
    const files = path.slice(1).map((to, i) => graph.get(path[i] ?? '')?.get(to) ?? '');
    return `no-folder-cycles: ${path.join(' → ')} by ${files.join(', ')} (folders that need each other are one folder)`;
  });
}

/** Returns the folder directly below `src`, or below `src/controllers`; undefined for files beside the folders and for other packages. */
function folderOf(file: string): string | undefined {
  const found = /^packages\/([^/]+)\/src\/((?:controllers\/)?[^/]+)\//.exec(file);
  return found && WITHOUT_FOLDER_CYCLES.includes(found[1] ?? '') ? `${found[1] ?? ''}/${found[2] ?? ''}` : undefined;
}
