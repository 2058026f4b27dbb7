// Rules about the imports that remain when types are erased.
import type { Module } from './modules.js';

/** Maps each module to the modules and installed packages that it loads at run time. */
type Graph = ReadonlyMap<string, readonly string[]>;

const TEST = /\.(test|bench)\.ts$|\/fixtures\.ts$|\/fixtures\//;
const DECIDE = /\/decide[^/]*\.ts$/;
const SIDE_ENTRY = /^packages\/core\/src\/(schema|cel|hash|regex|x509|yaml)\/index\.ts$/;

/** Returns the violations of every rule, as sentences. */
export function runTimeBreaches(modules: readonly Module[]): string[] {
  const graph = runTimeGraph(modules);
  const decisions = [...graph.keys()].filter((file) => DECIDE.test(file) && !TEST.test(file));
  return [
    ...cycles(graph).map((path) => `no-cycles: ${arrows(path)} (modules that need each other are one module)`),
    ...pathsTo(graph, 'packages/core/src/index.ts', (file) => SIDE_ENTRY.test(file) || isInstalled(file)).map(
      (path) => `core-index-is-light: ${arrows(path)} (who imports the index of core loads no package and no side entry)`,
    ),
    ...decisions.flatMap((file) =>
      pathsTo(graph, file, (target) => target.includes('/adapters/')).map(
        (path) => `decide-does-no-io: ${arrows(path)} (a decision cannot reach an adapter)`,
      ),
    ),
    ...decisions.flatMap((file) =>
      (graph.get(file) ?? [])
        .filter((target) => target.startsWith('packages/kube/'))
        .map((target) => `decide-uses-kube-types-only: ${arrows([file, target])} (a decision names actions, it does not run them)`),
    ),
  ];
}

function arrows(path: readonly string[]): string {
  return path.join(' → ');
}

function isInstalled(file: string): boolean {
  return file.startsWith('node_modules/');
}

function runTimeGraph(modules: readonly Module[]): Graph {
  return new Map(
    modules.map(({ file, imports }) => {
      const targets = imports.flatMap(({ isLoaded, target }) => {
        if (!isLoaded) return [];
        if (target.type === 'file') return [target.file];
        return target.type === 'package' ? [`node_modules/${target.name}`] : [];
      });
      return [file, [...new Set(targets)]];
    }),
  );
}

/** Returns one path for each cycle that a depth-first search finds. */
export function cycles(graph: Graph): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    if (path.includes(file)) {
      found.push([...path.slice(path.indexOf(file)), file]);
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return found;
}

/** Returns the shortest path from `start` to each module that matches. The search does not continue past a matching module. */
function pathsTo(graph: Graph, start: string, matches: (file: string) => boolean): string[][] {
  const found: string[][] = [];
  const seen = new Set([start]);
  let frontier = [[start]];
  while (frontier.length > 0) {
    const steps = frontier.flatMap((path) => (graph.get(path.at(-1) ?? '') ?? []).map((target) => ({ path: [...path, target], target })));
    const fresh = steps.filter(({ target }) => !seen.has(target) && seen.add(target));
    found.push(...fresh.filter(({ target }) => matches(target)).map(({ path }) => path));
    frontier = fresh.filter(({ target }) => !matches(target)).map(({ path }) => path);
  }
  return found;
}
