import { defineConfig } from 'vitest/config';

// Suites against a real kube-apiserver. Every file starts its own, so they can run side by side.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    pool: 'threads',
    include: ['test/kube/**/*.test.ts'],
    setupFiles: ['test/harness/sleep-meter.ts', 'test/harness/evidence-of-failures.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // They mostly wait: each carries etcd, kube-apiserver and kube-controller-manager, and two of them fill two cores.
    maxWorkers: 2,
    reporters: ['default'],
  },
});
