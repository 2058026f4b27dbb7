/**
 * Compares the latency of other tenants' reads while a Placement with a costly expression is evaluated with that while one with a cheap
 * expression is. The embedded server and the manager run in one process, a client reads over a socket, and clusters change all the time, so
 * that the expression is evaluated again and again. The two cases alternate, so that a busy machine disturbs both equally. The result is
 * the ratio of the 99th percentiles.
 *
 *   node --import tsx --conditions=source benchmarks/expression-isolation.ts
 */
import {
  KIND_DEFINITIONS,
  configMaps,
  customResourceDefinition,
  managedClusterSetBindings,
  managedClusters,
  namespaces,
  placements,
} from '@outrigger/api';
import { createControlPlane } from '@outrigger/control-plane';
import { parseYaml } from '@outrigger/core/yaml';
import { createHub } from '@outrigger/hub';
import { createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime } from '@outrigger/kube/node';

const CLUSTERS = 200;
const CLAIMS = 10;
const CLAIM_LENGTH = 1_000;
const ROUNDS = 4;
const ROUND_MS = 3_000;
const CHANGE_EVERY_MS = 50;
const NAMESPACE = 'tenant';

const CHEAP = 'managedCluster.metadata.name != ""';
const COSTLY = 'managedCluster.status.clusterClaims.all(c, c.value.matches("^(a|aa|aaa|(a+)+)+b$") || c.value.matches("(x+x+)+y") || true)';

const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const server = await createControlPlane({
  runtime,
  storage: 'memory',
  crds: KIND_DEFINITIONS.map((definition) => customResourceDefinition(definition)),
});
await server.start();
const hub = createClient({ transport: server.transport(), runtime });
const manager = createHub({ runtime, client: hub, namespace: 'default', clusters: false });
await manager.start();
await prepare();
const reader = createClient({ transport: createHttpTransport(await connection(), runtime, { protocol: 'http/1.1' }), runtime });

const beside: Record<'cheap' | 'costly', number[]> = { cheap: [], costly: [] };
for (let round = 0; round < ROUNDS; round++) {
  beside.cheap.push(...(await readsBeside(CHEAP)));
  beside.costly.push(...(await readsBeside(COSTLY)));
}
const [cheap, costly] = [percentile(beside.cheap, 0.99), percentile(beside.costly, 0.99)];
const rounded = (value: number): number => Math.round(value * 100) / 100;
for (const result of [
  { name: 'p99 of reads beside a cheap expression', value: rounded(cheap), unit: 'ms' },
  { name: 'p99 of reads beside a costly expression', value: rounded(costly), unit: 'ms' },
  { name: 'ratio of the two', value: rounded(costly / cheap), unit: '×' },
])
  console.log(JSON.stringify(result));
process.exit(0);

async function prepare(): Promise<void> {
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await hub.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'read', namespace: NAMESPACE },
    data: { a: 'b' },
  });
  await hub.create(managedClusterSetBindings, {
    apiVersion: 'cluster.open-cluster-management.io/v1beta2',
    kind: 'ManagedClusterSetBinding',
    metadata: { name: 'global', namespace: NAMESPACE },
    spec: { clusterSet: 'global' },
  });
  const clusterClaims = Array.from({ length: CLAIMS }, (_, i) => ({ name: `claim-${i}`, value: 'a'.repeat(CLAIM_LENGTH) }));
  for (let i = 0; i < CLUSTERS; i++) {
    const name = `cluster-${i}`;
    await hub.create(managedClusters, {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name },
      spec: { hubAcceptsClient: true },
    });
    await hub.patch(
      managedClusters,
      { name },
      { type: 'merge', patch: { status: { conditions: [], clusterClaims } } },
      { subresource: 'status' },
    );
  }
}

/** Returns the latencies of reads, in milliseconds, while a Placement with this expression is evaluated for clusters that change. */
async function readsBeside(expression: string): Promise<readonly number[]> {
  const predicates = [{ requiredClusterSelector: { celSelector: { celExpressions: [expression] } } }];
  await hub.create(placements, {
    apiVersion: 'cluster.open-cluster-management.io/v1beta1',
    kind: 'Placement',
    metadata: { name: 'tenants', namespace: NAMESPACE },
    spec: { predicates },
  });
  const endAt = performance.now() + ROUND_MS;
  const changing = (async () => {
    for (let i = 0; performance.now() < endAt; i++) {
      const labels = { changed: String(i) };
      await hub.patch(managedClusters, { name: `cluster-${i % CLUSTERS}` }, { type: 'merge', patch: { metadata: { labels } } });
      await runtime.timers.sleep(CHANGE_EVERY_MS);
    }
  })();
  const latencies: number[] = [];
  while (performance.now() < endAt) {
    const startedAt = performance.now();
    await reader.get(configMaps, { namespace: NAMESPACE, name: 'read' });
    latencies.push(performance.now() - startedAt);
    await runtime.timers.sleep(1);
  }
  await changing;
  await hub.delete(placements, { namespace: NAMESPACE, name: 'tenants' });
  return latencies;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function connection(): Promise<Parameters<typeof createHttpTransport>[0]> {
  const [config] = parseYaml((await server.serve()).adminKubeconfig) as readonly {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
  }[];
  const { cluster } = config?.clusters[0] ?? { cluster: {} };
  const { user } = config?.users[0] ?? { user: {} };
  const decoded = (text = ''): string => Buffer.from(text, 'base64').toString();
  return {
    server: cluster['server'] ?? '',
    ca: { data: decoded(cluster['certificate-authority-data']) },
    clientCertificate: { data: decoded(user['client-certificate-data']) },
    clientKey: { data: decoded(user['client-key-data']) },
  };
}
