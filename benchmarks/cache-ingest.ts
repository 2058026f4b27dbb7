/**
 * Measures the cost of the projecting cache: 20,000 ManagedClusterAddOn-like objects of 2.5 kB listed and 100,000 watch events, compared
 * with bare JSON.parse of the same bytes in the same run, and the heap that a cached projection takes.
 *
 *   node --expose-gc --import tsx --conditions=source benchmarks/cache-ingest.ts
 */
import type { Intern, KubeObject, Projected } from '@outrigger/core';
import { keyOf } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { Cache } from '../packages/kube/src/cache/cache.js';

const OBJECTS = 20_000;
const EVENTS = 100_000;
const ADD_ONS = 20;

interface Reference {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly desired: string;
  readonly applied: string;
}

interface AddOnProjection extends Projected {
  readonly cluster: string;
  readonly generation: number;
  readonly isDeleting: boolean;
  readonly installNamespace: string;
  readonly configs: readonly Reference[];
  readonly conditions: readonly unknown[];
  readonly owners: readonly unknown[];
  readonly health: string;
  readonly finalizers: readonly string[];
}

interface AddOn extends KubeObject {
  readonly spec: { readonly installNamespace: string };
  readonly status: {
    readonly configReferences: readonly (Record<string, unknown> & { readonly desiredConfig: { readonly specHash: string } })[];
    readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string; readonly message: string }[];
    readonly healthCheck: { readonly mode: string };
  };
}

const addOns: Resource<AddOnProjection, 'addOn' | 'cluster' | 'config'> = {
  name: 'managedclusteraddons',
  api: 'hub',
  kind: {
    group: 'addon.open-cluster-management.io',
    version: 'v1alpha1',
    kind: 'ManagedClusterAddOn',
    plural: 'managedclusteraddons',
    namespaced: true,
  },
  project,
  indexes: {
    addOn: ({ key }) => [key.name],
    cluster: ({ cluster }) => [cluster],
    config: ({ configs }) => configs.map(({ resource, name }) => `${resource}/${name}`),
  },
};

function project(object: KubeObject, intern: Intern): AddOnProjection {
  const { metadata, spec, status } = object as AddOn;
  const { name, namespace = '' } = keyOf(object);
  const cluster = intern(namespace);
  return {
    key: { name: intern(name), namespace: cluster },
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    cluster,
    generation: metadata.generation ?? 0,
    isDeleting: metadata.deletionTimestamp !== undefined,
    installNamespace: intern(spec.installNamespace),
    configs: intern(
      status.configReferences.map((reference) => ({
        group: reference['group'] as string,
        resource: reference['resource'] as string,
        name: reference['name'] as string,
        desired: reference.desiredConfig.specHash,
        applied: reference['lastAppliedConfig'] as string,
      })),
    ),
    conditions: intern(status.conditions.map(({ type, status: value, reason, message }) => ({ type, status: value, reason, message }))),
    owners: intern((metadata.ownerReferences ?? []).map(({ kind, name: owner, uid }) => ({ kind, owner, uid }))),
    health: intern(status.healthCheck.mode),
    finalizers: intern(metadata.finalizers ?? []),
  };
}

function objectText(index: number, revision: number): string {
  const addOn = `addon-${index % ADD_ONS}`;
  const cluster = `cluster-${Math.floor(index / ADD_ONS)
    .toString()
    .padStart(5, '0')}`;
  const hash = ((index % ADD_ONS) + (revision % 3) * 100).toString(16).padStart(64, '0');
  const time = new Date(1_767_225_600_000 + revision * 1000).toISOString();
  const object = {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: {
      name: addOn,
      namespace: cluster,
      uid: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
      resourceVersion: String(1_000_000 + revision),
      generation: 1 + (revision % 3),
      creationTimestamp: time,
      finalizers: ['addon.open-cluster-management.io/addon-pre-delete'],
      ownerReferences: [
        { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', name: addOn, uid: `owner-${addOn}` },
      ],
      managedFields: ['hub'].map((manager) => ({
        manager,
        operation: 'Update',
        apiVersion: 'addon.open-cluster-management.io/v1alpha1',
        time,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': { '.': {}, 'f:installNamespace': {} },
          'f:status': {
            '.': {},
            'f:conditions': {
              '.': {},
              'k:{"type":"Available"}': {
                '.': {},
                'f:lastTransitionTime': {},
                'f:message': {},
                'f:reason': {},
                'f:status': {},
                'f:type': {},
              },
            },
          },
        },
      })),
    },
    spec: { installNamespace: 'open-cluster-management-agent-addon' },
    status: {
      configReferences: [
        {
          group: 'addon.open-cluster-management.io',
          resource: 'addontemplates',
          name: `${addOn}-1.0.0`,
          desiredConfig: { name: `${addOn}-1.0.0`, specHash: hash },
          lastAppliedConfig: hash,
        },
        {
          group: 'addon.open-cluster-management.io',
          resource: 'addondeploymentconfigs',
          name: 'default',
          desiredConfig: { name: 'default', namespace: 'open-cluster-management', specHash: hash },
          lastAppliedConfig: hash,
        },
      ],
      conditions: ['ManifestApplied', 'Available', 'Configured', 'Progressing', 'RegistrationApplied'].map((type) => ({
        type,
        status: revision % 7 === 0 && type === 'Available' ? 'False' : 'True',
        reason: `${type}Reason`,
        message: `The ${type} condition of the add-on is as it should be.`,
        lastTransitionTime: time,
      })),
      healthCheck: { mode: 'Customized' },
      namespace: 'open-cluster-management-agent-addon',
    },
  };
  return JSON.stringify(object);
}

/** Yields the bytes in portions, so that 100,000 events are never all in memory. */
function* portions(total: number, size: number, text: (i: number) => Buffer): Generator<readonly Buffer[]> {
  for (let from = 0; from < total; from += size) yield Array.from({ length: Math.min(size, total - from) }, (_, i) => text(from + i));
}

const cache = new Cache({
  changed: () => undefined,
  failed: (_, __, error) => {
    throw error;
  },
});
const store = cache.add(addOns);
const listText = (i: number): Buffer => Buffer.from(objectText(i, 0));
const eventText = (i: number): Buffer => Buffer.from(objectText((i * 7919) % OBJECTS, i + 1));

/** Measures both methods on the same bytes, portion by portion, so that neither benefits from a warmer machine. */
function measure(
  total: number,
  text: (i: number) => Buffer,
  ingest: (object: KubeObject) => void,
): { parseMs: number; ingestMs: number; bytes: number } {
  let parseMs = 0;
  let ingestMs = 0;
  let bytes = 0;
  for (const portion of portions(total, 2000, text)) {
    for (const buffer of portion) bytes += buffer.length;
    const startedAt = cpuMs();
    for (const buffer of portion) JSON.parse(buffer.toString());
    const parsedAt = cpuMs();
    for (const buffer of portion) ingest(JSON.parse(buffer.toString()) as KubeObject);
    parseMs += parsedAt - startedAt;
    ingestMs += cpuMs() - parsedAt;
  }
  return { parseMs, ingestMs, bytes };
}

const before = heapBytes();
store.beginRelist();
const list = measure(OBJECTS, listText, (object) => store.relistItem(object));
store.endRelist('1000000');
const afterList = heapBytes();
const watch = measure(EVENTS, eventText, (object) => store.apply(object));
const afterWatch = heapBytes();

print('cache.object_size', list.bytes / OBJECTS, 'bytes');
print('cache.list.ratio_to_parse', list.ingestMs / list.parseMs, 'x', 3);
print('cache.list.rate', (OBJECTS / list.ingestMs) * 1000, 'objects per CPU second');
print('cache.watch.ratio_to_parse', watch.ingestMs / watch.parseMs, 'x', 3);
print('cache.watch.rate', (EVENTS / watch.ingestMs) * 1000, 'events per CPU second');
print('cache.heap_per_record.after_list', (afterList - before) / OBJECTS, 'bytes', 600);
print('cache.heap_per_record.after_watch', (afterWatch - before) / OBJECTS, 'bytes', 600);
if (store.size !== OBJECTS) throw new Error(`expected ${OBJECTS} projections, found ${store.size}`);

/** Returns the processor time, including garbage collection. A busy machine does not distort it. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns the live heap after a full garbage collection. Needs `--expose-gc`. */
function heapBytes(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error('run with --expose-gc');
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

/** Prints one measurement as a line that `npm run bench` reads. */
function print(name: string, value: number, unit: string, budget?: number): void {
  console.log(JSON.stringify({ name, value: Math.round(value * 100) / 100, unit, ...(budget === undefined ? {} : { budget }) }));
}
