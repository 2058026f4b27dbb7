import { defineConfig } from 'vitest/config';
import { FIRST_CONSOLE_TESTS, startingWith } from '../harness/file-order.js';
import { HANG_LIMIT_MS } from '../harness/limits.js';

// Configures the tests in a real Chromium. Two files run at a time, because each file spends part of its time waiting for the browser and
// the hub.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    pool: 'threads',
    maxWorkers: 2,
    sequence: { sequencer: startingWith(FIRST_CONSOLE_TESTS) },
    // The files import the same packages, so these are loaded once instead of once per file.
    isolate: false,
    include: ['test/console/**/*.test.ts'],
    setupFiles: ['test/harness/sleep-meter.ts'],
    testTimeout: HANG_LIMIT_MS,
    hookTimeout: HANG_LIMIT_MS,
    // A poll waits as long as the browser waits for an element. A test about a delay sets its own limit.
    expect: { poll: { timeout: 45_000 } },
    reporters: ['default'],
  },
});
