/** A replica in a separate process, which a test stops and resumes. The replica counts while it is the leader. */
import { configMaps } from '@outrigger/api';
import { createClient, createLeaseLeader, createManager, fenceTransport } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { countingController, counters } from './counters.js';

const [kubeconfig = '', namespace = '', identity = ''] = process.argv.slice(2);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const { connection } = await loadConnection({ kubeconfig });
const transport = createHttpTransport(connection, runtime);
const leader = createLeaseLeader({
  runtime,
  client: createClient({ transport, runtime }),
  lease: { namespace, name: 'leader' },
  name: identity,
  timing: { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 250 },
});
const manager = createManager({
  runtime,
  apis: { kube: createClient({ transport: fenceTransport(transport, leader), runtime }) },
  controllers: [countingController(namespace, identity)],
  leader,
  claim: { resources: [counters(namespace)], annotation: 'outrigger.dev/term' },
});
await manager.start();
process.stdout.write(`started ${configMaps.kind}\n`);
