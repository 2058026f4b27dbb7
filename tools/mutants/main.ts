// Plants bugs in the hub, one per build, and counts how many schedules the simulator needs to catch each of them. The builds are bundles in
// a temporary folder, so the sources are not changed. See docs/simulation.md.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../check/root.js';
import { NODE_FLAGS, bundle } from '../simulate/bundle.js';
import { PLANTED_BUGS, type PlantedBug } from './planted-bugs.js';

/** Usage: `npm run simulate:mutants -- [schedules] [pattern of the bug's name] [processes]` */
const [schedules = '20000', wanted = '', processes = String(availableParallelism())] = process.argv.slice(2);

async function bundleWith(bug: PlantedBug, folder: string): Promise<string> {
  const path = join(ROOT, bug.file);
  const source = await readFile(path, 'utf8');
  if (source.split(bug.find).length !== 2) throw new Error(`${bug.name}: the text does not occur exactly once in ${bug.file}`);
  const outfile = join(folder, `${PLANTED_BUGS.indexOf(bug)}.mjs`);
  await bundle(join(ROOT, 'tools/mutants/first-catch.ts'), outfile, [
    {
      name: 'planted bug',
      setup: (it) =>
        it.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) =>
          loaded === path ? { contents: source.replace(bug.find, () => bug.replace), loader: 'ts' } : null,
        ),
    },
  ]);
  return outfile;
}

function firstCatch(file: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...NODE_FLAGS, file, schedules], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', () => resolve(output.trim() || 'the simulation itself failed'));
  });
}

const folder = await mkdtemp(join(tmpdir(), 'outrigger-mutants-'));
const queue = PLANTED_BUGS.filter(({ name }) => new RegExp(wanted).test(name));
const rows: string[] = [];
async function worker(): Promise<void> {
  for (let bug = queue.shift(); bug; bug = queue.shift()) {
    const row = `| ${bug.name} | ${await firstCatch(await bundleWith(bug, folder))} |`;
    rows.push(row);
    console.log(row);
  }
}
try {
  await Promise.all(Array.from({ length: Number(processes) }, worker));
} finally {
  await rm(folder, { recursive: true, force: true });
}
const missed = rows.filter((row) => row.includes('not caught'));
console.log(`${rows.length - missed.length} of ${rows.length} planted bugs are caught`);
if (missed.length > 0) process.exitCode = 1;
