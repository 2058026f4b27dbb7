// Rules about the imports that remain when types are erased.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A module as dependency-cruiser reports it. */
export interface CruisedModule {
  readonly source: string;
  readonly dependencies: readonly { readonly module: string; readonly resolved: string }[];
}

/** Module → modules it loads when it runs. */
type Graph = ReadonlyMap<string, readonly string[]>;

const TEST = /\.(test|bench)\.ts$|\/fixtures\.ts$|\/fixtures\//;
const DECIDE = /\/decide[^/]*\.ts$/;
const SIDE_ENTRY = /^packages\/core\/src\/(schema|cel|hash|regex|x509|yaml)\/index\.ts$/;

/** Breaches of every rule, as sentences. */
export function runTimeBreaches(modules: readonly CruisedModule[], folder: string): string[] {
  const graph = runTimeGraph(modules, folder);
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

function runTimeGraph(modules: readonly CruisedModule[], folder: string): Graph {
  const ours = modules.filter(({ source }) => source.startsWith('packages/'));
  return new Map(
    ours.map(({ source, dependencies }) => {
      const loaded = dependencies.length === 0 ? new Set<string>() : loadedSpecifiers(readFileSync(join(folder, source), 'utf8'));
      const targets = dependencies.filter(
        ({ module, resolved }) => (resolved.startsWith('packages/') || isInstalled(resolved)) && loaded.has(module),
      );
      return [source, [...new Set(targets.map(({ resolved }) => resolved))]];
    }),
  );
}

/**
 * What a file imports for more than types. Only `import type` and `export type` vanish: with `verbatimModuleSyntax` the compiler
 * keeps every other import, even one whose names are all types.
 */
export function loadedSpecifiers(text: string): Set<string> {
  const statements = text.matchAll(/^\s*(?:import|export)\s+(type\s+(?=[{*\w]))?[^'";]*?from\s*['"]([^'"]+)['"]/gm);
  const sideEffects = text.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm);
  const dynamic = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g);
  return new Set([
    ...[...statements].flatMap(([, type, specifier = '']) => (type === undefined ? [specifier] : [])),
    ...[...sideEffects].map(([, specifier = '']) => specifier),
    ...[...dynamic].map(([, specifier = '']) => specifier),
  ]);
}

/** One path for each cycle a depth-first walk closes. */
function cycles(graph: Graph): string[][] {
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

/** The shortest path from `start` to each module that matches, not looking behind one. */
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
