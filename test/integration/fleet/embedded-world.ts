import { createHub, type MetricsProvider } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { atRest } from '../../world/at-rest.js';
import { VIRTUAL } from '../../world/eventually.js';
import { SimulatedWorld } from '../../world/simulated.js';
import { definitionsOf } from '../../world/simulation.js';
import { MortalManagers, isRecordWrite } from './mortal-managers.js';
import type { Meters, StoryWorld } from './world.js';

const CRDS = definitionsOf();

/**
 * Runs a scenario on the embedded server with its manager under a virtual clock, so that waiting takes no real time. `restore` creates
 * objects before the manager starts.
 */
export async function onEmbedded(
  story: (world: StoryWorld) => Promise<void>,
  restore: (hub: Client) => Promise<void> = async () => undefined,
): Promise<void> {
  const simulated = await SimulatedWorld.create();
  const server = await simulated.run(simulated.startServer('server', { crds: CRDS }));
  const hub = simulated.client(server.transport());
  await simulated.run(restore(hub));
  const runtime = simulated.process('manager');
  const client = simulated.client(server.transport(), runtime);
  const { meters, metricsProviders } = memoryMeters();
  const manager = createHub({ runtime, client, namespace: 'default', placement: false, metricsProviders });
  await simulated.run(manager.start());
  const { clock, timers } = simulated.person;
  const rest = (restMs: number): Promise<void> => atRest({ timers }, { manager: () => manager, restMs });
  await simulated.run(story({ hub, removeAfterMs: 10_000, clock, timers, patience: VIRTUAL, atRest: rest, meters }));
  await simulated.run(manager.stop());
  await simulated.run(server.stop());
}

/**
 * Runs a scenario on the embedded server with managers that are killed at each write of the record. Returns the number of killed managers.
 */
export async function withMortalManagers(story: (world: StoryWorld) => Promise<void>): Promise<number> {
  const simulated = await SimulatedWorld.create();
  const server = await simulated.run(simulated.startServer('server', { crds: CRDS }));
  const { meters, metricsProviders } = memoryMeters();
  let incarnation = 0;
  const managers = new MortalManagers((wrap) => {
    const runtime = simulated.process(`manager-${++incarnation}`);
    const client = simulated.client(wrap(server.transport()), runtime);
    const manager = createHub({ runtime, client, namespace: 'default', placement: false, metricsProviders });
    return { crash: () => runtime.crash(), started: manager.start() };
  }, isRecordWrite);
  managers.start();
  const { clock, timers } = simulated.person;
  const hub = simulated.client(server.transport());
  const rest = (): Promise<void> => Promise.reject(new Error('managers that are killed never rest'));
  await simulated.run(story({ hub, removeAfterMs: 10_000, clock, timers, patience: VIRTUAL, atRest: rest, meters }));
  return managers.deaths;
}

/** Returns in-memory metrics providers, because a real provider does not follow the virtual clock. */
function memoryMeters(): { readonly meters: Meters; readonly metricsProviders: ReadonlyMap<string, MetricsProvider> } {
  let values: Readonly<Record<string, number>> = {};
  const story: MetricsProvider = {
    query: async () => ({ series: Object.entries(values).map(([cluster, value]) => ({ labels: { cluster }, value })) }),
  };
  const gone: MetricsProvider = { query: async () => ({ problem: 'the provider did not answer: connect ECONNREFUSED' }) };
  const set = async (next: Readonly<Record<string, number>>): Promise<void> => {
    values = next;
  };
  return {
    meters: { set },
    metricsProviders: new Map([
      ['story', story],
      ['gone', gone],
    ]),
  };
}
