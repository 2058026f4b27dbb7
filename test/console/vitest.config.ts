import { defineConfig } from 'vitest/config';

// Configures the tests in a real Chromium. The files run one at a time, because browsers share two cores with the hub under test.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    pool: 'threads',
    fileParallelism: false,
    // The files import the same packages, so these are loaded once instead of once per file.
    isolate: false,
    include: ['test/console/**/*.test.ts'],
    setupFiles: ['test/harness/sleep-meter.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  },
});
