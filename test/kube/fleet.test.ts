import {
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
  placements,
} from '@outrigger/api';
import { type Kind, keyOf } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { installKinds, recordedLogger, startKube } from '../harness/index.js';
import { errorRateRises } from '../integration/fleet/analysis-stories.js';
import { MortalManagers, isRecordWrite } from '../integration/fleet/mortal-managers.js';
import { stories } from '../integration/fleet/stories.js';
import { type FleetWorld, type StoryWorld, found } from '../integration/fleet/world.js';
import { clientOf } from './fleet-kube.js';
import { prometheusMeters } from './prometheus-server.js';
import { OVER_SOCKETS, eventually } from '../world/eventually.js';
import { LOOKS_OVER_SOCKETS, atRest } from '../world/at-rest.js';

const runtime = createRealRuntime({ log: recordedLogger() });

/** The removal delay is shorter than the default, because the scenarios wait for removals in real time here. */
const REMOVE_AFTER_MS = 3_000;

describe('the documents on installing and versions, on a real API server', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let world: StoryWorld;
  let stopManager: () => Promise<unknown>;
  let mortals: () => MortalManagers;

  beforeAll(async () => {
    const kube = await startKube({ controllerManager: 'after kinds' });
    stops.push(() => kube.stop());
    const client = await clientOf(kube.kubeconfigPath, runtime);
    const time = { clock: runtime.clock, timers: runtime.timers, patience: OVER_SOCKETS };
    await installKinds(kube, client, (what, condition) => eventually(time, what, condition));
    const { meters, metricsProviders } = await prometheusMeters(time, stops);
    const removal = { afterMs: REMOVE_AFTER_MS };
    const manager = createHub({ runtime, client, namespace: 'default', placement: false, removal, metricsProviders });
    const rest = (restMs: number): Promise<void> => atRest(runtime, { manager: () => manager, restMs, looks: LOOKS_OVER_SOCKETS });
    world = { hub: client, removeAfterMs: REMOVE_AFTER_MS, ...time, atRest: rest, meters };
    await manager.start();
    stopManager = () => manager.stop();
    stops.push(stopManager);
    const { connection } = await loadConnection({ kubeconfig: kube.kubeconfigPath });
    mortals = () =>
      new MortalManagers((wrap) => {
        const process = createRealRuntime({ log: recordedLogger() });
        const transport = wrap(createHttpTransport(connection, process, { protocol: 'http/1.1' }));
        const one = createHub({
          runtime: process,
          client: createClient({ transport, runtime: process }),
          namespace: 'default',
          placement: false,
          removal,
          metricsProviders,
        });
        let isCrashed = false;
        const crash = (): void => {
          if (isCrashed) return;
          isCrashed = true;
          process.scope.close();
          void transport.close();
        };
        stops.push(async () => crash());
        return { crash, started: one.start() };
      }, isRecordWrite);
  });
  afterEach(() => clear(world));
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it.each(stories)('$name', ({ tell }) => tell(world));

  // This test is the last one, because it ends the manager of the other scenarios.
  it('goes back by itself and rolls out the fixed version with a leader that dies at every write of the record', async () => {
    await stopManager();
    const managers = mortals();
    managers.start();
    await errorRateRises(world);
    await managers.spare();
    expect(managers.deaths).toBeGreaterThan(5);
  });
});

/** Empties the hub for the next scenario. */
async function clear(world: FleetWorld): Promise<void> {
  const kinds = [
    clusterManagementAddOns,
    addOnTemplates,
    addOnDeploymentConfigs,
    placementDecisions,
    placements,
    managedClusters,
  ] as Kind[];
  for (const kind of kinds) await deleteAll(world.hub, kind);
  // Wait until the add-ons and clusters are gone, because a cluster exists until its cleanup is complete.
  for (const kind of [managedClusterAddOns, managedClusters] as Kind[]) {
    await eventually(world, `no ${kind.plural} are left`, async () =>
      (await world.hub.list(kind, {})).items.length === 0 ? true : undefined,
    );
  }
}

async function deleteAll(client: Client, kind: Kind): Promise<void> {
  for (const object of (await client.list(kind, {})).items) await found(client.delete(kind, keyOf(object)));
}
