import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';
import { findChromium } from './tools/chromium.mjs';

/** The slowest files, slowest first. If one of them started last, it would run alone at the end. */
const LONGEST: readonly string[] = [
  'fleet',
  'conformance',
  'addon-content',
  'addon-seeds',
  'work',
  'identity-failures',
  'placement',
  'identity',
  'hub-replicas',
  'cli',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return index < 0 ? LONGEST.length : index;
    };
    return [...files].sort((a, b) => place(a) - place(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

/** The suites that need a browser. Without one they do not run, and the run reports this. */
const BROWSER = 'test/kube/console-browser.test.ts';
const hasBrowser = findChromium() !== undefined;
if (!hasBrowser) process.stderr.write(`${BROWSER} does not run: there is no Chromium (node tools/chromium.mjs)\n`);

// Configures the suites on a real kube-apiserver. Every file starts its own, so they can run in parallel.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    pool: 'threads',
    include: ['test/kube/**/*.test.ts'],
    exclude: hasBrowser ? [] : [BROWSER],
    setupFiles: ['test/harness/sleep-meter.ts', 'test/harness/evidence-of-failures.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The files mostly wait. Each runs etcd, kube-apiserver and kube-controller-manager, so five of them keep two cores busy.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    reporters: ['default'],
  },
});
