// Runs a task of this repository (`npm run <task>`). It is plain JavaScript without dependencies, because it has to work before the install.
import { bin, fail, heading, install, run } from './install.mjs';

const node = (script, ...args) => run(process.execPath, ['--conditions=source', '--import', 'tsx', script, ...args]);

/** The tasks. Each is a list of steps, and a step that fails ends the run. Arguments after the task's name are passed to the last step. */
const tasks = {
  check: [
    ['format', () => run(bin('biome'), ['format', '.'])],
    ['lint', () => run(bin('oxlint'), ['--type-aware', '--deny-warnings'])],
    ['types', () => run(bin('tsc'), ['-b'])],
    ['layers', () => node('tools/check/main.ts', 'layers')],
    ['unused code', () => run(bin('knip'), [])],
    ['generated files', () => node('tools/gen/main.ts', '--check')],
    ['lockfile', () => node('tools/check/main.ts', 'lockfile')],
    ['machine paths', () => node('tools/check/main.ts', 'machine-paths')],
    ['enhancement documents', () => node('tools/check/main.ts', 'seeds')],
  ],
  test: [['tests', (...rest) => run(bin('vitest'), ['run', ...rest])]],
  'test:kube': [
    ['kube binaries', () => node('tools/kube-binaries/main.ts')],
    ['console app', () => run(process.execPath, ['tools/console-app.mjs'])],
    ['tests on a real kube-apiserver', (...rest) => run(bin('vitest'), ['run', '--config', 'vitest.kube.config.ts', ...rest])],
  ],
  'test:interop': [
    ['kube binaries', () => node('tools/kube-binaries/main.ts')],
    ['programs written in Go', (...rest) => run(bin('vitest'), ['run', '--config', 'test/interop/vitest.config.ts', ...rest])],
  ],
  'test:console': [
    ['browser', () => run(process.execPath, ['tools/chromium.mjs'])],
    ['console app', () => run(process.execPath, ['tools/console-app.mjs'])],
    ['tests in Chromium', (...rest) => run(bin('vitest'), ['run', '--config', 'test/console/vitest.config.ts', ...rest])],
  ],
  'test:stability': [['tests, again and again', (...rest) => node('tools/stability/main.ts', ...rest)]],
  simulate: [
    ['kube binaries', () => process.argv.join(' ').includes('--layer 3') && node('tools/kube-binaries/main.ts')],
    ['simulated histories', (...rest) => node('tools/simulate/main.ts', ...rest)],
  ],
  'simulate:mutants': [['planted bugs', (...rest) => node('tools/mutants/main.ts', ...rest)]],
  bench: [['benchmarks', (...rest) => node('tools/bench/main.ts', ...rest)]],
  'bench:fleet': [
    ['kube binaries', () => process.argv.includes('kube') && node('tools/kube-binaries/main.ts')],
    ['fleet benchmark', (...rest) => node('benchmarks/fleet/main.ts', ...rest)],
  ],
  screenshots: [
    ['browser', () => run(process.execPath, ['tools/chromium.mjs'])],
    ['pictures of the console', () => node('tools/screenshots/main.ts')],
  ],
  gen: [['generate', (...rest) => node('tools/gen/main.ts', ...rest)]],
  build: [
    ['types', () => run(bin('tsc'), ['-b'])],
    ['command', () => run(process.execPath, ['tools/bundle.mjs'])],
  ],
};

const [name, ...rest] = process.argv.slice(2);
const steps = tasks[name];
if (!steps) fail(`usage: node tools/run.mjs <${Object.keys(tasks).join('|')}>`);
install();
steps.forEach(([title, step], index) => {
  heading(title);
  step(...(index === steps.length - 1 ? rest : []));
});
