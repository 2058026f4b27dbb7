import { setFlagsFromString } from 'node:v8';
import { defineConfig } from 'vitest/config';
import { bundled } from './test/harness/bundled.js';
import { FIRST_KUBE_TESTS, startingWith } from './test/harness/file-order.js';
import { HANG_LIMIT_MS, POLL_LIMIT_MS } from './test/harness/limits.js';
import { findChromium } from './tools/chromium.mjs';

/** The suites that need a browser. Without one they do not run, and the run reports this. */
const BROWSER = 'test/kube/console-browser.test.ts';
const hasBrowser = findChromium() !== undefined;
if (!hasBrowser) process.stderr.write(`${BROWSER} does not run: there is no Chromium (node tools/chromium.mjs)\n`);

// As in vitest.config.ts, with less room, because more threads run beside the servers.
setFlagsFromString('--min-semi-space-size=32');
setFlagsFromString('--max-semi-space-size=32');

// Configures the suites on a real kube-apiserver. Every file starts its own, so they can run in parallel.
export default defineConfig({
  plugins: [bundled()],
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    pool: 'threads',
    isolate: false,
    include: ['test/kube/**/*.test.ts'],
    exclude: hasBrowser ? [] : [BROWSER],
    setupFiles: ['test/harness/sleep-meter.ts', 'test/harness/evidence-of-failures.ts'],
    testTimeout: HANG_LIMIT_MS,
    hookTimeout: HANG_LIMIT_MS,
    expect: { poll: { timeout: POLL_LIMIT_MS } },
    // The files mostly wait. Each runs etcd, kube-apiserver and kube-controller-manager, so six of them keep two cores busy.
    maxWorkers: 6,
    sequence: { sequencer: startingWith(FIRST_KUBE_TESTS) },
    reporters: ['default'],
  },
});
