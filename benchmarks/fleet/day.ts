import { CLUSTER_LEASE_NAME, leases, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { type ApiRequest, type Kind, type Transport, toMicroTime } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { obedientAgent } from '../../test/integration/addon/obedient-agent.js';
import { addCluster } from '../../test/integration/addon/objects.js';
import { SimulatedWorld } from '../../test/world/simulated.js';
import { definitionsOf } from '../../test/world/simulation.js';
import { ensureNamespace } from '../footprint/hub.js';
import { declareAddOn } from './declare.js';
import { isSettled } from './observer.js';
import type { FleetOptions } from './options.js';
import type { IdleDay } from './report.js';

const HOURS = 24;
const HOUR_MS = 3_600_000;
/**
 * The maximum number of clusters to simulate, because the lease renewals of more clusters take minutes. An idle manager sends the same
 * requests for any number of clusters.
 */
const MAX_CLUSTERS = 50;
const LEASE_MS = 60_000;
const NAMESPACE = 'open-cluster-management-hub';

/**
 * Runs a settled fleet for a day of virtual time in this process: an API server, a manager with all its controllers, and stand-ins for the
 * agents, which only renew their leases. Returns the requests of the manager during the day.
 */
export async function idleDay(options: Pick<FleetOptions, 'clusters' | 'addOns'>, hours = HOURS): Promise<IdleDay> {
  const clusters = Math.min(options.clusters, MAX_CLUSTERS);
  const cpu = process.cpuUsage();
  const simulated = await SimulatedWorld.create();
  const { person } = simulated;
  const server = await simulated.run(simulated.startServer('hub', { crds: definitionsOf() }));
  const hub = simulated.client(server.transport());
  const requests: Record<string, number> = {};
  const managerProcess = simulated.process('manager');
  const manager = createHub({
    runtime: managerProcess,
    client: simulated.client(counting(server.transport(), requests), managerProcess),
    namespace: NAMESPACE,
  });
  const names = Array.from({ length: clusters }, (_, index) => `c${index}`);
  return simulated.run(
    (async (): Promise<IdleDay> => {
      for (const name of [NAMESPACE, 'open-cluster-management-agent-addon']) await ensureNamespace(hub, name);
      await manager.start();
      const stopAgent = obedientAgent(hub, person);
      for (const name of names) await addCluster({ hub }, name);
      for (let index = 0; index < options.addOns; index++) await declareAddOn(hub, `addon${index}`);
      let last: unknown;
      await simulated.eventually(1_000, () => last)('the fleet has settled', async () => {
        const { items } = await hub.list(managedClusterAddOns);
        last = items[0]?.status?.conditions;
        return items.length === clusters * options.addOns && items.every(isSettled) ? true : undefined;
      });
      let leaseRenewals = 0;
      const passTime = async (ms: number): Promise<void> => {
        for (const endsAt = person.clock.monotonic() + ms; person.clock.monotonic() < endsAt; await person.timers.sleep(LEASE_MS)) {
          for (const name of names) await renewLease(hub, name, person.clock.now());
          leaseRenewals += names.length;
        }
      };
      // When the first leases arrive, the manager changes the conditions of their clusters.
      await passTime(HOUR_MS);
      for (const name of Object.keys(requests)) delete requests[name];
      leaseRenewals = 0;
      const before = await versions(hub);
      await passTime(hours * HOUR_MS);
      const counted = { ...requests };
      const changes = [...(await versions(hub))].filter(([key, version]) => before.get(key) !== version).length;
      await manager.stop();
      await stopAgent();
      const used = process.cpuUsage(cpu);
      const writes = Object.entries(counted).reduce((sum, [name, count]) => sum + (isRead(name) ? 0 : count), 0);
      const size = { clusters, addOns: options.addOns, hours };
      return { ...size, leaseRenewals, requests: counted, writes, changes, cpuMs: (used.user + used.system) / 1_000 };
    })(),
  );
}

/** Counts the requests by method and resource. Watches are counted separately. */
function counting(transport: Transport, requests: Record<string, number>): Transport {
  return {
    send(request, signal) {
      const name = `${request.watch ? 'WATCH' : request.method} ${resourceOf(request)}`;
      requests[name] = (requests[name] ?? 0) + 1;
      return transport.send(request, signal);
    },
    close: () => transport.close(),
  };
}

/** Returns the resource of a request, such as `manifestworks`, from its path. */
function resourceOf({ path }: ApiRequest): string {
  const parts = path.split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  return (rest[0] === 'namespaces' && rest.length > 2 ? rest[2] : rest[0]) ?? path;
}

function isRead(name: string): boolean {
  return name.startsWith('GET ') || name.startsWith('WATCH ');
}

async function renewLease(hub: Client, namespace: string, now: number): Promise<void> {
  const patch = { spec: { renewTime: toMicroTime(now) } };
  await hub.patch(leases, { namespace, name: CLUSTER_LEASE_NAME }, { type: 'merge', patch });
}

/** Returns the versions of all add-ons and works. */
async function versions(hub: Client): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  const kinds: readonly Kind[] = [managedClusterAddOns, manifestWorks];
  for (const kind of kinds) {
    for (const { metadata } of (await hub.list(kind)).items)
      found.set(`${kind.plural} ${metadata.namespace}/${metadata.name}`, metadata.resourceVersion);
  }
  return found;
}
