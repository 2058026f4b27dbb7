import {
  type AddOnTemplate,
  type ManagedClusterAddOn,
  addOnTemplates,
  clusterManagementAddOns,
  inexactInteger,
  managedClusterAddOns,
} from '@outrigger/api';
import type { Json, JsonObject } from '@outrigger/core';
import fc from 'fast-check';
import { expect } from 'vitest';
import { addCluster, conditionsOf, install } from './objects.js';
import type { AddOnWorld } from './world.js';

/** This scenario is about manifests that an API server stores differently from how they were sent. */

const CLUSTER = 'normal1';
const GROUP = 'addon.open-cluster-management.io';

/** Generates valid metadata that a server prunes, empties or rewrites. */
const metadata: fc.Arbitrary<JsonObject> = fc.record(
  {
    labels: fc.oneof(fc.constant({}), fc.constant(null), fc.constant({ a: 'b' }), fc.constant({ a: null })),
    annotations: fc.oneof(fc.constant({}), fc.constant(null), fc.constant({ a: '' }), fc.constant({ note: 'ü\n\u2028' })),
    ownerReferences: fc.oneof(
      fc.constant([]),
      fc.constant([{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u', controller: null, extra: true }]),
    ),
    finalizers: fc.oneof(fc.constant([]), fc.constant(null), fc.constant(['example.com/kept', 'example.com/kept'])),
    creationTimestamp: fc.constantFrom(null, '2020-01-01T00:00:00Z', '2020-01-01T02:00:00+02:00', '2020-01-01T00:00:00.5Z'),
    generation: fc.constantFrom(0, 3, null),
    resourceVersion: fc.constantFrom('', '12', null),
    uid: fc.constantFrom('', 'u', null),
    managedFields: fc.constantFrom([], null),
    clusterName: fc.constantFrom('', 'unknown to ObjectMeta'),
    generateName: fc.constantFrom('', null),
  },
  { requiredKeys: [] },
);

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('', '\ud800', '\u0000', '0.10', '1e3', 'true', '{}'));
const number = fc
  .oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(1.0, -0, 0.1, 1e21, Number.MAX_SAFE_INTEGER, 5e-324, 1.7976931348623157e308),
  )
  // Leave out integers that JavaScript cannot represent exactly, because a template that contains one is refused.
  .filter((value) => inexactInteger(value) === undefined);
/** Generates any JSON value, with nulls and empty values at any depth. */
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(null, {}, [], '', 0, false, [null], { a: null }),
    text,
    number,
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'metadata', 'status')), tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Random text must not contain a template variable by accident. */
const withoutBraces = (value: Json): boolean => !JSON.stringify(value).includes('{{');

const manifests: fc.Arbitrary<readonly JsonObject[]> = fc
  .array(
    fc.record({ meta: metadata, body: fc.dictionary(fc.constantFrom('spec', 'data', 'list', 'status', 'nothing'), json, { maxKeys: 4 }) }),
    { minLength: 1, maxLength: 3 },
  )
  .filter((list) => withoutBraces(list as unknown as Json))
  .map((list) =>
    list.map(({ meta, body }, i) => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { ...meta, name: `widget-${i}`, namespace: 'normal' },
      ...body,
    })),
  );

/** Each manifest is tested separately, so that a failure identifies the manifest. */
const EXAMPLES: readonly JsonObject[] = [
  { metadata: { annotations: {} } },
  { metadata: { labels: {} } },
  { metadata: { ownerReferences: [] } },
  { metadata: { finalizers: [] } },
  { metadata: { creationTimestamp: null } },
  { metadata: { clusterName: 'pruned' } },
  { data: { removed: null } },
  { list: [null, { a: null }, 1, 1] },
  { spec: { quantity: '0.10', cpu: '1000m', float: 1.0, exponent: 1e3 } },
];

export interface NormalisedOptions {
  readonly count: number;
  readonly seed: number;
}

function templateOf(name: string, list: readonly JsonObject[]): AddOnTemplate {
  return {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'AddOnTemplate',
    metadata: { name },
    spec: { addonName: name, agentSpec: { workload: { manifests: list } } },
  };
}

async function allSettled(world: AddOnWorld, names: readonly string[], generation: number): Promise<void> {
  await world.eventually(`${names.length} add-ons have settled`, async () => {
    const { items } = await world.hub.list(managedClusterAddOns, { namespace: CLUSTER });
    const waiting = items.filter(
      (clusterAddOn) => names.includes(clusterAddOn.metadata.name ?? '') && !isSettled(clusterAddOn, generation),
    );
    expect(
      waiting.map((clusterAddOn) => [
        clusterAddOn.metadata.name,
        conditionsOf(clusterAddOn)['Progressing'],
        clusterAddOn.status?.conditions,
      ]),
    ).toEqual([]);
    return items.length >= names.length ? true : undefined;
  });
  await world.quiet();
}

function isSettled(clusterAddOn: ManagedClusterAddOn, generation: number): boolean {
  const references = clusterAddOn.status?.configReferences ?? [];
  return (
    conditionsOf(clusterAddOn)['Progressing'] === 'False Succeed' && references.every((one) => one.lastObservedGeneration === generation)
  );
}

/**
 * Every add-on settles after its work is created, and again after its work is patched. After that the manager writes nothing, not even
 * after a restart.
 */
export async function normalisedManifestsSettle(world: AddOnWorld, { count, seed }: NormalisedOptions): Promise<void> {
  const { hub } = world;
  await addCluster(world, CLUSTER);
  const base = { apiVersion: 'example.com/v1', kind: 'Widget' };
  const examples = EXAMPLES.map((example) => [
    { ...base, ...example, metadata: { name: 'widget', namespace: 'normal', ...(example['metadata'] as JsonObject | undefined) } },
  ]);
  const lists = [...examples, ...fc.sample(manifests, { numRuns: count, seed })];
  const names = lists.map((_, i) => `normal-${i}`);
  for (const [i, name] of names.entries()) {
    await hub.create(addOnTemplates, templateOf(name, lists[i] ?? []));
    await hub.create(clusterManagementAddOns, {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'ClusterManagementAddOn',
      metadata: { name },
      spec: { supportedConfigs: [{ group: GROUP, resource: 'addontemplates', defaultConfig: { name } }] },
    });
    await install(world, CLUSTER, name);
  }
  await allSettled(world, names, 1);
  await writesNothing(world, names);

  for (const [i, name] of names.entries()) {
    const more = [...(lists[i] ?? []), { ...base, metadata: { name: 'more', namespace: 'normal', labels: {} }, data: { a: null } }];
    await hub.patch(addOnTemplates, { name }, { type: 'merge', patch: { spec: templateOf(name, more).spec as never } });
  }
  await allSettled(world, names, 2);
  await writesNothing(world, names);
}

async function writesNothing(world: AddOnWorld, names: readonly string[]): Promise<void> {
  world.writes.length = 0;
  world.passes.length = 0;
  await world.restartManager();
  await world.eventually('the new manager has looked at every add-on', async () =>
    names.every((name) => world.passes.includes(`addon ${CLUSTER}/${name}`)) ? true : undefined,
  );
  await world.quiet();
  expect(world.writes).toEqual([]);
}
