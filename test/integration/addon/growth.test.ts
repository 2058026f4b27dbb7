import { addOnTemplates, clusterManagementAddOns, managedClusterAddOns } from '@outrigger/api';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, conditionsOf, templateOf } from './objects.js';
import { type AddOnWorld, startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

const GROUP = 'addon.open-cluster-management.io';
const NAME = 'growing';
const SETTLED = 'True ProbeAvailable False Succeed';

/** The passes and writes that a manager needs for one event. */
interface Cost {
  /** The passes of the add-on controller, by cluster. */
  readonly passes: Readonly<Record<string, number>>;
  /** The number of writes to add-ons and works. */
  readonly writes: number;
}

/** Costs are counts, so they are the same on every machine. A cost that grows with the fleet fails here before a benchmark shows it. */
describe('the cost of an event does not grow with the fleet', () => {
  it.each([
    { event: 'an installation', costs: ({ install }: Costs): Cost => install },
    { event: 'an edit of the template', costs: ({ edit }: Costs): Cost => edit },
  ])('$event takes as many writes per add-on on 30 clusters as on 10', async ({ costs }) => {
    const [small, large] = [await costsOf(10), await costsOf(30)];
    expect(costs(large).writes / 30).toBeCloseTo(costs(small).writes / 10, 1);
  });

  it('a cluster that joins wakes no add-on of another cluster', async () => {
    const [small, large] = [await costsOf(10), await costsOf(30)];
    expect(Object.keys(large.join.passes)).toEqual(['joining']);
    expect(large.join.writes).toBe(small.join.writes);
    expect(large.join.passes['joining']).toBeLessThanOrEqual((small.join.passes['joining'] ?? 0) + 2);
  });

  it('an edit of one add-on takes as many passes with 8 add-ons on each cluster as with 2, and wakes no other add-on', async () => {
    const [few, many] = [await passesOfEdit(2), await passesOfEdit(8)];
    expect(keysOf(many)).toEqual(keysOf(few));
    expect(keysOf(few)).toEqual(['addon-0', ...Array.from({ length: CLUSTERS }, (_, i) => `fleet-${i}/addon-0`)]);
    expect(many.length).toBeLessThanOrEqual(few.length + CLUSTERS);
  });
});

const CLUSTERS = 5;

function keysOf(passes: readonly string[]): readonly string[] {
  return [...new Set(passes.map((pass) => pass.split(' ')[1] ?? ''))].sort();
}

/** Returns the passes of all controllers for an edit of the template of one add-on, in a fleet with this number of add-ons per cluster. */
async function passesOfEdit(addOnCount: number): Promise<readonly string[]> {
  const world = await startWorld({ agent: { upAfterMs: 5_000 } });
  const names = Array.from({ length: addOnCount }, (_, i) => `addon-${i}`);
  await Promise.all(Array.from({ length: CLUSTERS }, (_, i) => addCluster(world, `fleet-${i}`)));
  for (const name of names) {
    await world.hub.create(addOnTemplates, templateOf(name, { image: 'example.com/agent:1' }));
    await declare(world, name);
  }
  await world.eventually('all add-ons are settled', () => hasSettled(world, CLUSTERS * addOnCount));
  await world.idle();
  world.passes.length = 0;
  const { spec } = templateOf('addon-0', { image: 'example.com/agent:2' });
  await world.hub.patch(addOnTemplates, { name: 'addon-0' }, { type: 'merge', patch: { spec: spec as never } });
  await world.idle();
  return [...world.passes];
}

interface Costs {
  readonly install: Cost;
  readonly edit: Cost;
  readonly join: Cost;
}

const measured = new Map<number, Promise<Costs>>();

/** Returns the costs for a fleet size. Each size is measured once. */
function costsOf(size: number): Promise<Costs> {
  const known = measured.get(size) ?? measure(size);
  measured.set(size, known);
  return known;
}

async function measure(size: number): Promise<Costs> {
  // The agents report after a delay, so that the record shows the rollout in progress.
  const world = await startWorld({ agent: { upAfterMs: 5_000 } });
  await Promise.all(Array.from({ length: size }, (_, i) => addCluster(world, `fleet-${i}`)));
  await world.hub.create(addOnTemplates, templateOf(NAME, { image: 'example.com/agent:1' }));
  await world.idle();
  const install = await cost(world, size, 'agent:1', () => declare(world, NAME));
  const { spec } = templateOf(NAME, { image: 'example.com/agent:2' });
  const edit = await cost(world, size, 'agent:2', () =>
    world.hub.patch(addOnTemplates, { name: NAME }, { type: 'merge', patch: { spec: spec as never } }),
  );
  const join = await cost(world, size + 1, 'agent:2', () => addCluster(world, 'joining'));
  return { install, edit, join };
}

/** Declares an add-on on all clusters, with the template of the same name. */
async function declare(world: AddOnWorld, name: string): Promise<void> {
  await world.hub.create(clusterManagementAddOns, {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'ClusterManagementAddOn',
    metadata: { name },
    spec: {
      supportedConfigs: [{ group: GROUP, resource: 'addontemplates', defaultConfig: { name } }],
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: {} },
    },
  });
}

/** Returns true if this number of add-ons is available and not moving; otherwise undefined. */
async function hasSettled(world: AddOnWorld, count: number): Promise<true | undefined> {
  const { items } = await world.hub.list(managedClusterAddOns);
  const settled = items.map(conditionsOf).filter(({ Available, Progressing }) => `${Available} ${Progressing}` === SETTLED);
  return settled.length === count ? true : undefined;
}

/**
 * Returns the cost of an event. The manager is settled before the event. The cost covers the time until the add-on runs this image on
 * `count` clusters and the manager is settled again.
 */
async function cost(world: AddOnWorld, count: number, image: string, event: () => Promise<unknown>): Promise<Cost> {
  world.passes.length = 0;
  world.writes.length = 0;
  await event();
  const { generation } = (await world.hub.get(addOnTemplates, { name: NAME })).metadata;
  await world.eventually(`${count} clusters run ${image}`, async () => {
    const { items } = await world.hub.list(managedClusterAddOns);
    const settled = items.filter((clusterAddOn) => {
      const { Available, Progressing } = conditionsOf(clusterAddOn);
      const [template] = clusterAddOn.status?.configReferences ?? [];
      const isCurrent = template?.lastObservedGeneration === generation;
      return isCurrent && Available === 'True ProbeAvailable' && Progressing === 'False Succeed';
    });
    return settled.length === count ? true : undefined;
  });
  await world.idle();
  const passes: Record<string, number> = {};
  for (const pass of world.passes) {
    const cluster = /^addon ([^/]+)\//.exec(pass)?.[1];
    if (cluster !== undefined) passes[cluster] = (passes[cluster] ?? 0) + 1;
  }
  const writes = world.writes.filter((write) => /^\w+ (managedclusteraddons|manifestworks)/.test(write)).length;
  return { passes, writes };
}
