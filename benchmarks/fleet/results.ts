import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FleetReport } from './report.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = 'benchmarks/results';
const FLEET_FILE = /^fleet-.*\.json$/;

/** A result and the name of its file. */
export interface StoredReport {
  readonly file: string;
  readonly report: FleetReport;
}

/** Replaces a file of the results atomically, so that a reader sees either the old or the new text. */
export function storeResult(name: string, text: string): void {
  const path = join(ROOT, FOLDER, name);
  mkdirSync(join(ROOT, FOLDER), { recursive: true });
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Returns the results of all fleet benchmarks, ordered by hub and size. */
export function storedReports(): readonly StoredReport[] {
  return sorted(readdirSync(join(ROOT, FOLDER)).filter((file) => FLEET_FILE.test(file)));
}

/** Returns the results that git tracks, which the documents may cite. */
export function committedReports(): readonly StoredReport[] {
  return sorted(committedResults().filter((file) => FLEET_FILE.test(file)));
}

/** Returns the names of the results that git tracks, or of all results outside a git checkout. */
export function committedResults(): readonly string[] {
  const { status, stdout } = spawnSync('git', ['ls-files', FOLDER], { cwd: ROOT, encoding: 'utf8' });
  const names = status === 0 ? stdout.split('\n').map((path) => path.slice(FOLDER.length + 1)) : readdirSync(join(ROOT, FOLDER));
  return names.filter((name) => name.endsWith('.json')).sort();
}

/** Returns the commit of the sources, with `+` if they differ from it; undefined if they are no git checkout. */
export function sourceCommit(): string | undefined {
  const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  const head = git('rev-parse', '--short=12', 'HEAD');
  if (head.status !== 0) return undefined;
  const isChanged = git('status', '--porcelain', '--', 'packages', 'benchmarks', `:!${FOLDER}`).stdout !== '';
  return `${head.stdout.trim()}${isChanged ? '+' : ''}`;
}

export function readResult(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, FOLDER, file), 'utf8'));
}

function sorted(files: readonly string[]): readonly StoredReport[] {
  return files
    .map((file) => ({ file, report: readResult(file) as FleetReport }))
    .sort(
      ({ report: a }, { report: b }) =>
        a.hub.localeCompare(b.hub) || a.clusters * a.addOns - b.clusters * b.addOns || a.at.localeCompare(b.at),
    );
}
