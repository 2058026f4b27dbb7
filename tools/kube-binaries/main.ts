/** Builds or finds every program that the tests against a real server need, so that no test waits for a compiler. */
import { findBinary } from './binaries.js';
import { findKubectl } from './kubectl.js';

try {
  for (const binary of ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const) {
    process.stdout.write(`${binary}: ${await findBinary(binary)}\n`);
  }
  process.stdout.write(`kubectl: ${await findKubectl()}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
