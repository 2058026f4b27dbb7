// Reads the modules of the packages and resolves what each of them imports.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';

/** A source file and its imports, in source order. */
export interface Module {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly specifier: string;
  /** Whether the import remains when types are erased. */
  readonly isLoaded: boolean;
  readonly target: Target;
}

export type Target =
  | { readonly type: 'file'; readonly file: string }
  | { readonly type: 'node'; readonly name: string }
  | { readonly type: 'package'; readonly name: string; readonly isDeclared: boolean }
  | { readonly type: 'nothing' };

interface Manifest {
  readonly exports?: Readonly<Record<string, { readonly source?: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const SCOPE = '@outrigger/';

/** Returns every TypeScript module below `packages/<name>/src`, sorted by path. */
export function readModules(folder: string): Module[] {
  const packages = existsSync(join(folder, 'packages')) ? readdirSync(join(folder, 'packages')).sort() : [];
  return packages.flatMap((name) => {
    const resolve = resolver(folder, `packages/${name}`);
    return sourcesBelow(folder, `packages/${name}/src`).map((file) => ({
      file,
      imports: importsOf(readFileSync(join(folder, file), 'utf8')).map((found) => ({ ...found, target: resolve(found.specifier, file) })),
    }));
  });
}

/**
 * Returns the imports in a source text. Only `import type` and `export type` disappear when types are erased, because with
 * `verbatimModuleSyntax` the compiler keeps every other import, even one whose names are all types.
 */
export function importsOf(text: string): { readonly specifier: string; readonly isLoaded: boolean }[] {
  const statements = text.matchAll(/^\s*(?:import|export)\s+(type\s+(?=[{*\w]))?[^'";]*?from\s*['"]([^'"]+)['"]/gm);
  const bare = text.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm);
  const dynamic = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g);
  return [
    ...[...statements].map(([, type, specifier = '']) => ({ specifier, isLoaded: type === undefined })),
    ...[...bare, ...dynamic].map(([, specifier = '']) => ({ specifier, isLoaded: true })),
  ];
}

function sourcesBelow(folder: string, path: string): string[] {
  if (!existsSync(join(folder, path))) return [];
  const entries = readdirSync(join(folder, path), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) return sourcesBelow(folder, below);
    return /\.tsx?$/.test(entry.name) ? [below] : [];
  });
}

function resolver(folder: string, home: string): (specifier: string, from: string) => Target {
  const own = manifestOf(folder, home);
  return (specifier, from) => {
    if (specifier.startsWith('.')) return sourceFile(folder, join(dirname(from), specifier));
    if (specifier.startsWith('node:') || builtinModules.includes(specifier)) return { type: 'node', name: specifier };
    const [scope = '', second = ''] = specifier.split('/');
    const name = scope.startsWith('@') ? `${scope}/${second}` : scope;
    if (specifier.startsWith(SCOPE)) return workspaceFile(folder, second, specifier.slice(name.length));
    const isInstalled = [folder, join(folder, home)].some((place) => existsSync(join(place, 'node_modules', name)));
    return isInstalled ? { type: 'package', name, isDeclared: own.dependencies?.[name] !== undefined } : { type: 'nothing' };
  };
}

/**
 * Returns the source file of a relative import. The import names the compiled file, whose source has the same name with another extension.
 */
function sourceFile(folder: string, path: string): Target {
  const file = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx'), path].find((candidate) => existsSync(join(folder, candidate)));
  return file === undefined ? { type: 'nothing' } : { type: 'file', file };
}

function workspaceFile(folder: string, name: string, subpath: string): Target {
  const source = manifestOf(folder, `packages/${name}`).exports?.[`.${subpath}`]?.source;
  return source === undefined ? { type: 'nothing' } : sourceFile(folder, join('packages', name, source));
}

function manifestOf(folder: string, home: string): Manifest {
  const path = join(folder, home, 'package.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : {};
}
