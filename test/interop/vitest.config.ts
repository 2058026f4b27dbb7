import { defineConfig } from 'vitest/config';

// The tests run programs written in Go against both servers. They run only with `npm run test:interop`, because that command first builds
// the programs and a real kube-apiserver.
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
