import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './root.js';

export interface PlantedTree {
  readonly folder: string;
  remove(): void;
}

/**
 * Creates a temporary repository with our configuration and the given files (path → text), in which a check must find the planted
 * violations.
 */
export function plantTree(files: Readonly<Record<string, string>>, configuration: readonly string[]): PlantedTree {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'outrigger-planted-')));
  for (const file of configuration) copyFileSync(join(ROOT, file), join(folder, file));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Makes a package in the tree importable by its name, as npm does for a workspace. */
export function linkPackage({ folder }: PlantedTree, name: string): void {
  const scope = join(folder, 'node_modules/@outrigger');
  mkdirSync(scope, { recursive: true });
  symlinkSync(join(folder, 'packages', name), join(scope, name));
}
