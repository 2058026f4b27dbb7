import { defineConfig } from 'vitest/config';

// Suites against a real kube-apiserver. One server is shared by all files; a suite that hurts its server starts one of its own.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    pool: 'threads',
    include: ['test/kube/**/*.test.ts'],
    globalSetup: ['test/kube/shared-server.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores carry etcd, kube-apiserver, kube-controller-manager and the tests.
    maxWorkers: 1,
    reporters: ['default'],
  },
});
