import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './root.js';
import { type CruisedModule, runTimeBreaches } from './run-time-rules.js';

interface Report {
  readonly modules: readonly CruisedModule[];
  readonly summary: { readonly totalCruised: number; readonly violations: readonly Violation[] };
}
interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
  readonly comment?: string;
}

/**
 * Breaches of the layer table in the packages below `folder`. Reads the tool's report instead of trusting its exit code: a run that
 * found no modules at all (a parser that could not load) also exits with 0.
 */
export function checkLayers(folder: string = ROOT): string[] {
  const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'packages'];
  const result = spawnSync(join(ROOT, 'node_modules/.bin/depcruise'), args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 29 });
  if (result.error) throw result.error;
  if (!result.stdout.startsWith('{')) throw new Error(`depcruise gave no report:\n${result.stderr}`);

  const { modules, summary } = JSON.parse(result.stdout) as Report;
  if (summary.totalCruised === 0) return ['no modules were found: the layer check checks nothing'];
  return [...summary.violations.map(sentence), ...runTimeBreaches(modules, folder)];
}

function sentence({ rule, from, to, comment }: Violation): string {
  return `${rule.name}: ${from} → ${to}${comment ? ` (${comment})` : ''}`;
}
