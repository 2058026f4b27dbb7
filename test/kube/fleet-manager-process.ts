// Runs one replica of the manager as a separate process, so that a test can stop and continue it. Arguments: `<kubeconfig> <name>`.
import { createHub } from '@outrigger/hub';
import { createClient, createLeaseLeader, fenceTransport } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';

const [kubeconfig = '', name = ''] = process.argv.slice(2);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const { connection } = await loadConnection({ kubeconfig });
const transport = createHttpTransport(connection, runtime, { protocol: 'http/1.1' });
const leader = createLeaseLeader({
  runtime,
  client: createClient({ transport, runtime }),
  lease: { namespace: 'default', name: 'outrigger-hub' },
  name,
  // A replica that is late by seconds on a busy machine must not lose the lease. The test stops the leader for longer than the lease.
  timing: { leaseDurationMs: 8_000, renewDeadlineMs: 6_000, retryPeriodMs: 500 },
});
const client = createClient({ transport: fenceTransport(transport, leader), runtime });
await createHub({ runtime, client, namespace: 'default', placement: false, clusters: false, leader }).start();
process.send?.('started');
