import {
  KIND_DEFINITIONS,
  type ManifestWork,
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  customResourceDefinition,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@outrigger/api';
import { type Json, type JsonObject, type Kind, type KubeObject, isJsonObject } from '@outrigger/core';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, addOnOn, conditionsOf, eventuallyIs, templateOf } from './objects.js';
import { type AddOnWorld, startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

const GROUP = 'addon.open-cluster-management.io';
const NAMES = Array.from({ length: 10 }, (_, i) => `addon-${i}`);
const VICTIM = 'addon-0';

/** Returns the CRDs of our kinds without schemas, so that the API server accepts invalid objects. */
function openDefinitions(): KubeObject[] {
  return KIND_DEFINITIONS.map((definition) => {
    const crd = customResourceDefinition(definition);
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const versions = crd.spec.versions.map((version) => ({ ...version, schema, additionalPrinterColumns: [] }));
    return { ...crd, spec: { ...crd.spec, versions } } as unknown as KubeObject;
  });
}

/** Installs ten add-ons, each on a separate cluster and with a config, and waits until they are settled. */
async function settled(): Promise<AddOnWorld> {
  const world = await startWorld({ controlPlane: { crds: openDefinitions() }, log: SILENT, agent: { isUp: isReadable } });
  const { hub } = world;
  for (const name of NAMES) {
    await addCluster(world, `c-${name}`);
    await hub.create(addOnTemplates, templateOf(name, { version: 'v1', registration: [{ type: 'KubeClient', kubeClient: {} }] }));
    await hub.create(addOnDeploymentConfigs, {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'AddOnDeploymentConfig',
      metadata: { name, namespace: 'default' },
      spec: { agentInstallNamespace: 'somewhere', customizedVariables: [{ name: 'A', value: 'b' }] },
    });
    const supportedConfigs = [
      { group: GROUP, resource: 'addontemplates', defaultConfig: { name } },
      { group: GROUP, resource: 'addondeploymentconfigs', defaultConfig: { namespace: 'default', name } },
    ];
    await hub.create(clusterManagementAddOns, {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'ClusterManagementAddOn',
      metadata: { name },
      spec: { supportedConfigs, installStrategy: { type: 'Manual' }, dependencies: [] },
    });
    await hub.create(managedClusterAddOns, addOnOn(`c-${name}`, name));
  }
  for (const name of NAMES) await eventuallyIs(world, `c-${name}`, name, 'Progressing', 'False Succeed');
  await world.idle();
  return world;
}

/** Whether the stand-in agent can parse a work. The agent is not under test, so it ignores works that it cannot parse. */
function isReadable({ spec }: Partial<ManifestWork>): boolean {
  const manifests: unknown = spec?.workload?.manifests;
  return Array.isArray(manifests) && manifests.every((manifest: unknown) => isJsonObject(manifest) && isJsonObject(manifest['metadata']));
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => SILENT };

interface Target {
  readonly kind: Kind;
  readonly key: { readonly name: string; readonly namespace?: string };
  readonly part: 'spec' | 'status';
}

const TARGETS: readonly Target[] = [
  { kind: managedClusterAddOns, key: { namespace: `c-${VICTIM}`, name: VICTIM }, part: 'spec' },
  { kind: managedClusterAddOns, key: { namespace: `c-${VICTIM}`, name: VICTIM }, part: 'status' },
  { kind: clusterManagementAddOns, key: { name: VICTIM }, part: 'spec' },
  { kind: clusterManagementAddOns, key: { name: VICTIM }, part: 'status' },
  { kind: addOnTemplates, key: { name: VICTIM }, part: 'spec' },
  { kind: addOnDeploymentConfigs, key: { namespace: 'default', name: VICTIM }, part: 'spec' },
  { kind: addOnRollouts, key: { name: VICTIM }, part: 'status' },
  { kind: manifestWorks, key: { namespace: `c-${VICTIM}`, name: `addon-${VICTIM}-deploy-0` }, part: 'spec' },
  { kind: manifestWorks, key: { namespace: `c-${VICTIM}`, name: `addon-${VICTIM}-deploy-0` }, part: 'status' },
  { kind: managedClusters, key: { name: `c-${VICTIM}` }, part: 'status' },
];

/** Returns the path of every field in a value. */
function places(value: Json | undefined, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, child]) => places(child, [...path, name]))];
}

function replaced(value: Json | undefined, [head, ...rest]: readonly string[], by: Json): Json {
  if (head === undefined) return by;
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === head ? replaced(item as Json, rest, by) : (item as Json)));
  return { ...(value as JsonObject), [head]: replaced((value as JsonObject)[head], rest, by) };
}

async function put({ hub }: AddOnWorld, { kind, key, part }: Target, value: Json | undefined): Promise<void> {
  const current = await hub.get(kind, key);
  const next = { ...current, [part]: value } as KubeObject;
  await hub.replace(kind, next, part === 'status' ? { subresource: 'status' } : {});
}

/**
 * Whether a logged write concerns the add-on `VICTIM`. The name of stored content contains a digest instead of the add-on's name. All such
 * writes count, because only the content of this add-on changes here.
 */
const isVictims = (line: string): boolean => line.includes(VICTIM) || line.startsWith('POST controllerrevisions ');

describe('any field of any object filled with anything', () => {
  it('AT-43 affects only its own key: the others get no pass and no write, and the key recovers when the object is corrected', async () => {
    const world = await settled();
    const poison = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json),
      fc.constantFrom<Json>(null, '', -1, 1e300, true, [], {}, [null], { __proto__: null }, '\u0000', '{{', 'x'.repeat(10_000)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TARGETS), fc.double({ min: 0, max: 0.999, noNaN: true }), poison, async (target, at, value) => {
        const { hub } = world;
        const before = ((await hub.get(target.kind, target.key)) as unknown as Record<string, Json>)[target.part];
        const all = places(before);
        const path = all[Math.floor(at * all.length)] ?? [];
        world.passes.length = 0;
        world.writes.length = 0;
        await put(world, target, replaced(before, path, value));
        await world.quiet();
        const where = `${target.kind.kind} ${target.part}.${path.join('.')} = ${JSON.stringify(value).slice(0, 80)}`;
        expect([where, world.passes.filter((pass) => !isVictims(pass))]).toEqual([where, []]);
        expect([where, world.writes.filter((write) => !isVictims(write))]).toEqual([where, []]);

        await put(world, target, before);
        await world.eventually(`mended: ${where}`, async () => {
          const clusterAddOn = await hub.get(managedClusterAddOns, { namespace: `c-${VICTIM}`, name: VICTIM });
          expect(conditionsOf(clusterAddOn)).toMatchObject({ Available: 'True ProbeAvailable', Progressing: 'False Succeed' });
          return true;
        });
        await world.quiet();
      }),
      {
        numRuns: Number(process.env['OUTRIGGER_FUZZ_RUNS'] ?? 12),
        seed: Number(process.env['OUTRIGGER_FUZZ_SEED'] ?? 43),
        endOnFailure: true,
      },
    );
  });
});
