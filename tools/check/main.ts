import { checkLayers } from './layers.js';
import { checkLockfile } from './lockfile.js';
import { checkMachinePaths } from './machine-paths.js';
import { checkSeeds } from './seeds.js';

const checks: Readonly<Record<string, () => string[]>> = {
  layers: () => checkLayers(),
  lockfile: checkLockfile,
  'machine-paths': checkMachinePaths,
  seeds: checkSeeds,
};

const name = process.argv[2] ?? '';
const check = checks[name];
if (!check) throw new Error(`usage: main.ts <${Object.keys(checks).join('|')}>`);
const breaches = check();
for (const breach of breaches) process.stderr.write(`${breach}\n`);
process.exitCode = breaches.length === 0 ? 0 : 1;
