import { KIND_DEFINITIONS, MANAGED_CLUSTER_KINDS, customResourceDefinition } from '@outrigger/api';
import { createControlPlane } from '@outrigger/control-plane';
import { createRealRuntime, createLogger } from '@outrigger/kube/node';
import { mkdtempSync } from 'node:fs';
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const d = mkdtempSync('/tmp/exp-');
const t0 = performance.now();
const hub = await createControlPlane({ runtime, storage: { dir: d + '/hub' }, crds: KIND_DEFINITIONS.map((k) => customResourceDefinition(k)) });
await hub.start();
console.log('hub', performance.now() - t0, process.memoryUsage().rss / 1e6);
const crds = KIND_DEFINITIONS.filter(({ kind }) => MANAGED_CLUSTER_KINDS.includes(kind)).map((k) => customResourceDefinition(k));
for (const mode of ['memory', 'disk']) {
  const t1 = performance.now();
  const list = [];
  for (let i = 0; i < 20; i++) {
    const c = await createControlPlane({ runtime, storage: mode === 'memory' ? 'memory' : { dir: `${d}/c${i}` }, crds, simulateWorkloads: {} });
    await c.start();
    list.push(c);
  }
  console.log(mode, (performance.now() - t1) / 20, 'ms each', process.memoryUsage().rss / 1e6, process.memoryUsage().heapUsed/1e6);
}
process.exit(0);
