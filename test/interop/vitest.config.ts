import { defineConfig } from 'vitest/config';

// Runs programs written in Go against both servers. Opt-in (`npm run test:interop`), because it builds them and a real kube-apiserver
// first.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    pool: 'threads',
    include: ['test/interop/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 900_000,
    maxWorkers: 1,
    reporters: ['default'],
  },
});
