import type { Kind, KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import {
  type Manifest,
  type AgentWorld,
  applied,
  configMap,
  configMaps,
  createWork,
  deleteWork,
  editWork,
  find,
  jobs,
  secrets,
  workWith,
} from './world.js';

const of = (group: string, version: string, kind: string, plural: string, namespaced = true): Kind => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});
const serviceAccounts = of('', 'v1', 'ServiceAccount', 'serviceaccounts');
const services = of('', 'v1', 'Service', 'services');
const namespaces = of('', 'v1', 'Namespace', 'namespaces', false);
const webhooks = of('admissionregistration.k8s.io', 'v1', 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', false);

interface Row {
  /** The type of the field that version 2 adds. */
  readonly name: string;
  readonly kind: Kind;
  readonly v1: Fields;
  readonly v2: Fields;
  /** A merge patch that another field manager sends while version 2 is applied. */
  readonly others?: Fields;
  /** Reads the field. */
  readonly read: (object: KubeObject & Fields) => unknown;
  /** The expected value of the field after the rollback: the values of `v1` and of `others`. */
  readonly want: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const podSpec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/job:1' }] };
const hook = (name: string, caBundle?: string): object => ({
  name,
  clientConfig: { url: 'https://hooks.example.com', ...(caBundle === undefined ? {} : { caBundle }) },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  rules: [{ apiGroups: ['none.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothings'] }],
});
const CA = Buffer.from('-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n').toString('base64');
const without = (texts: Readonly<Record<string, string>> | undefined, ...keys: string[]): unknown =>
  Object.fromEntries(Object.entries(texts ?? {}).filter(([key]) => !keys.includes(key)));

const ROWS: readonly Row[] = [
  {
    name: 'labels, beside the labels of others',
    kind: configMaps,
    v1: { metadata: { labels: { kept: '1' } } },
    v2: { metadata: { labels: { kept: '2', added: '2' } } },
    others: { metadata: { labels: { theirs: 'x' } } },
    read: ({ metadata }) => metadata.labels,
    want: { kept: '1', theirs: 'x' },
  },
  {
    name: 'the last label',
    kind: configMaps,
    v1: {},
    v2: { metadata: { labels: { added: '2' } } },
    read: ({ metadata }) => metadata.labels ?? {},
    want: {},
  },
  {
    name: 'a label that another manager set to a value of its own',
    kind: configMaps,
    v1: {},
    v2: { metadata: { labels: { added: '2' }, annotations: { mine: '2' } } },
    others: { metadata: { labels: { theirs: 'x' } } },
    read: ({ metadata }) => [metadata.labels, metadata.annotations ?? {}],
    want: [{ theirs: 'x' }, {}],
  },
  {
    name: 'annotations, beside those of others',
    kind: configMaps,
    v1: { metadata: { annotations: { kept: '1' } } },
    v2: { metadata: { annotations: { kept: '2', added: '2' } } },
    others: { metadata: { annotations: { theirs: 'x' } } },
    read: ({ metadata }) => metadata.annotations,
    want: { kept: '1', theirs: 'x' },
  },
  {
    name: 'labels of a Namespace, such as pod-security',
    kind: namespaces,
    v1: {},
    v2: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    others: { metadata: { labels: { theirs: 'x' } } },
    read: ({ metadata }) => without(metadata.labels, 'kubernetes.io/metadata.name'),
    want: { theirs: 'x' },
  },
  {
    name: 'finalizers, beside those of others',
    kind: configMaps,
    v1: {},
    v2: { metadata: { finalizers: ['example.com/added'] } },
    others: { metadata: { finalizers: ['example.com/added', 'example.com/theirs'] } },
    read: ({ metadata }) => metadata.finalizers ?? [],
    want: ['example.com/theirs'],
  },
  {
    name: 'finalizers that version 2 removed are restored',
    kind: configMaps,
    v1: { metadata: { finalizers: ['example.com/kept'] } },
    v2: {},
    read: ({ metadata }) => metadata.finalizers ?? [],
    want: ['example.com/kept'],
  },
  {
    name: 'pull secrets of a ServiceAccount',
    kind: serviceAccounts,
    v1: {},
    v2: { imagePullSecrets: [{ name: 'added' }] },
    read: ({ imagePullSecrets }) => imagePullSecrets ?? [],
    want: [],
  },
  {
    name: 'secrets of a ServiceAccount',
    kind: serviceAccounts,
    v1: {},
    v2: { secrets: [{ name: 'added' }] },
    read: ({ secrets: of }) => of ?? [],
    want: [],
  },
  {
    name: 'pull secrets that a controller linked stay',
    kind: serviceAccounts,
    v1: {},
    v2: { metadata: { labels: { added: '2' } } },
    others: { imagePullSecrets: [{ name: 'theirs' }] },
    read: ({ imagePullSecrets, metadata }) => [imagePullSecrets, metadata.labels ?? {}],
    want: [[{ name: 'theirs' }], {}],
  },
  {
    name: 'keys of a ConfigMap',
    kind: configMaps,
    v1: { data: { a: '1' } },
    v2: { data: { a: '2', b: '2' } },
    read: ({ data }) => data,
    want: { a: '1' },
  },
  {
    name: 'keys of a Secret',
    kind: secrets,
    v1: { stringData: { a: '1' } },
    v2: { stringData: { a: '1', b: '2' } },
    read: ({ data }) => Object.keys(data ?? {}),
    want: ['a'],
  },
  {
    name: 'ports and annotations of a Service',
    kind: services,
    v1: { spec: { ports: [{ name: 'a', port: 80 }], selector: { app: 'x' } } },
    v2: {
      metadata: { annotations: { added: '2' } },
      spec: {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
        selector: { app: 'x', more: 'y' },
        sessionAffinity: 'ClientIP',
      },
    },
    read: ({ spec, metadata }) => {
      const { ports, selector, sessionAffinity } = spec as { ports: { name: string }[]; selector: object; sessionAffinity: string };
      return [ports.map(({ name }) => name), selector, sessionAffinity, metadata.annotations ?? {}];
    },
    want: [['a'], { app: 'x' }, 'None', {}],
  },
  {
    name: 'the mutable fields of a Job, which is otherwise immutable, and its labels',
    kind: jobs,
    v1: { metadata: { labels: { kept: '1' } }, spec: { suspend: true, template: { spec: podSpec } } },
    v2: {
      metadata: { labels: { kept: '1', added: '2' } },
      spec: { suspend: true, parallelism: 3, activeDeadlineSeconds: 600, template: { spec: podSpec } },
    },
    read: ({ spec, metadata }) => {
      const { parallelism, activeDeadlineSeconds } = spec as Fields;
      return [parallelism, activeDeadlineSeconds ?? null, metadata.labels];
    },
    want: [1, null, { kept: '1' }],
  },
  {
    name: 'the certificate of one webhook; the one injected into another stays',
    kind: webhooks,
    v1: { webhooks: [hook('a.example.com'), hook('b.example.com')] },
    v2: { webhooks: [hook('a.example.com', CA), hook('b.example.com')] },
    others: { webhooks: [hook('a.example.com', CA), hook('b.example.com', CA)] },
    read: ({ webhooks: list }) =>
      (list as { clientConfig: { caBundle?: string } }[]).map(({ clientConfig }) => clientConfig.caBundle ?? ''),
    want: ['', CA],
  },
];

/**
 * Defines the tests that a rollback to version 1 restores version 1 on the cluster, and keeps the values that other field managers added.
 */
export function describeRollback(worldOf: () => AgentWorld): void {
  describe('Update, from version 1 to 2 and back', () => {
    it.each(ROWS)('removes what version 2 added: $name', async ({ kind, v1, v2, others, read, want }) => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const name = kind.namespaced ? 'x' : world.unique('x');
      const key = kind.namespaced ? { namespace, name } : { name };
      const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
      const manifest = (fields: Fields): Manifest => ({
        apiVersion,
        kind: kind.kind,
        ...fields,
        metadata: { ...key, ...(fields['metadata'] as object) },
      });
      const work = await createWork(world, [manifest(v1)]);
      await applied(world, work);
      await editWork(world, work, [manifest(v2)]);
      await applied(world, work);
      if (others) await world.cluster.patch(kind, key, { type: 'merge', patch: others as never }, { fieldManager: 'others' });
      await editWork(world, work, [manifest(v1)]);
      await applied(world, work);
      expect(read((await world.cluster.get(kind, key)) as KubeObject & Fields)).toEqual(want);
      const { finalizers } = (await world.cluster.get(kind, key)).metadata;
      await editWork(world, work, [manifest({ ...v1, metadata: {} })]);
      await applied(world, work);
      if (finalizers) await world.cluster.patch(kind, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
      await deleteWork(world, work);
    });

    it('leaves the labels of another work alone, which writes as the same manager', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const labelled = (labels: Record<string, string>): Manifest => configMap(namespace, 'shared', { a: '1' }, { labels });
      const first = await createWork(world, [labelled({ first: '1' })]);
      await applied(world, first);
      const second = await createWork(world, [labelled({ second: '1' })]);
      await applied(world, second);
      await editWork(world, first, [labelled({ first: '2' })]);
      await applied(world, first);
      await editWork(world, second, [labelled({ second: '2' })]);
      await applied(world, second);
      expect((await world.cluster.get(configMaps, { namespace, name: 'shared' })).metadata.labels).toEqual({ first: '2', second: '2' });
      await deleteWork(world, first);
      await deleteWork(world, second);
    });
  });

  describe('a version that cannot be applied', () => {
    it('removes nothing, names the refused objects at once, and removes dropped objects when the work can be applied', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const missing = `${namespace}-missing`;
      const work = await createWork(world, [configMap(namespace, 'old'), configMap(namespace, 'kept')]);
      await applied(world, work);
      const refused = ['a', 'b', 'c', 'd'].map((name) => configMap(missing, name));
      await editWork(world, work, [configMap(namespace, 'kept', { a: '2' }), configMap(namespace, 'new'), ...refused]);
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(failed.status?.conditions?.find(({ type }) => type === 'Applied')?.message).toBe(
        `Failed to apply manifest work: ConfigMap ${missing}/a; ConfigMap ${missing}/b; ConfigMap ${missing}/c and 1 more`,
      );
      await world.settled();
      expect(await find(world.cluster, configMaps, { namespace, name: 'old' })).toBeDefined();
      await editWork(world, work, [configMap(namespace, 'kept', { a: '2' }), configMap(namespace, 'new')]);
      await applied(world, work);
      await world.eventually('the object that version 2 drops is gone', async () =>
        (await find(world.cluster, configMaps, { namespace, name: 'old' })) ? undefined : true,
      );
      await deleteWork(world, work);
    });
  });
}
