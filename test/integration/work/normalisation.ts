import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppliedResource } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { type AgentWorld, type Manifest, applied, createWork, crds, deleteWork, appliedWorkOf, workOf } from './world.js';

const GROUP = 'normalisation.example.com';

/** A kind whose schema prunes unknown fields, sets defaults and accepts quantities. */
const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 3 },
                  ratio: { type: 'number' },
                  port: { 'x-kubernetes-int-or-string': true },
                  note: { type: 'string', nullable: true },
                  title: { type: 'string', default: 'untitled' },
                  parts: {
                    type: 'array',
                    items: { type: 'object', properties: { name: { type: 'string' }, kind: { type: 'string', default: 'plain' } } },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
} as unknown as KubeObject;

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

/** Removes undefined members, which a parsed manifest never has. */
function said<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** Generates metadata as programs produce it, with empty and null members that every server drops. */
const metadata = fc
  .record({
    labels: optional(fc.constantFrom({}, null, { app: 'x' })),
    annotations: optional(fc.constantFrom({}, null, { 'example.com/note': '' }, { 'example.com/note': 'y' })),
    ownerReferences: optional(fc.constantFrom([], null)),
    finalizers: optional(fc.constantFrom([], null)),
    creationTimestamp: optional(fc.constant(null)),
  })
  .map(said);

const cpu = fc.constantFrom('1000m', '1', 1, '0.5', '500m', '0.1', '2000m');
const memory = fc.constantFrom('1024Mi', '1Gi', '1073741824', '0.5Gi', '1000Ki', 1048576);
const quantities = fc.record({ cpu, memory });

const podSpec = fc
  .record({
    containers: fc
      .record({
        resources: optional(
          fc.oneof(fc.constant({}), fc.record({ limits: quantities, requests: fc.record({ cpu: fc.constant('100m') }) })),
        ),
        env: optional(
          fc.constantFrom(
            [],
            null,
            [{ name: 'A', value: '' }],
            [{ name: 'A' }],
            [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          ),
        ),
        ports: optional(fc.constantFrom([], [{ containerPort: 80 }], [{ containerPort: 80, protocol: 'TCP' }, { containerPort: 81 }])),
        volumeMounts: optional(fc.constantFrom([], null)),
        command: optional(fc.constantFrom([], ['run'], null)),
        securityContext: optional(fc.constantFrom({}, null)),
      })
      .map((members) => [{ name: 'main', image: 'example.com/app:1', ...said(members) }]),
    nodeSelector: optional(fc.constantFrom({}, null)),
    tolerations: optional(fc.constantFrom([], null, [{ operator: 'Exists' }])),
    affinity: optional(fc.constantFrom({}, null)),
    volumes: optional(fc.constantFrom([], [{ name: 'v', emptyDir: {} }], [{ name: 'v', emptyDir: { sizeLimit: '1024Mi' } }])),
    securityContext: optional(fc.constantFrom({}, null)),
    terminationGracePeriodSeconds: optional(fc.constantFrom(0, 30)),
    hostNetwork: optional(fc.constant(false)),
    serviceAccount: optional(fc.constant('default')),
  })
  .map(said);

type Content = Readonly<Record<string, unknown>>;

interface Shape {
  readonly apiVersion: string;
  readonly kind: string;
  readonly content: fc.Arbitrary<Content>;
}

const LABELS = { matchLabels: { app: 'x' } };

/** One row for each class of change that servers make to a manifest. Every run uses every row. */
const SHAPES: readonly Shape[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    content: fc
      .record({
        data: optional(fc.constantFrom({}, null, { a: '' }, { a: '1000m' })),
        binaryData: optional(fc.constantFrom({}, null)),
        immutable: optional(fc.constant(false)),
      })
      .map(said),
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    content: fc.constantFrom({ stringData: { a: 'b' } }, { data: {} }, { stringData: {}, data: { c: 'ZA==' } }),
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    content: fc.constantFrom({}, { imagePullSecrets: [] }, { imagePullSecrets: [{ name: 'x' }], secrets: null }),
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    content: fc
      .constantFrom(
        [{ port: 80 }],
        [{ port: 80, targetPort: 80 }],
        [
          { name: 'a', port: 80, targetPort: 'http' },
          { name: 'b', port: 81 },
        ],
      )
      .map((ports) => ({ spec: { ports, selector: { app: 'x' }, type: 'ClusterIP', externalIPs: [], clusterIP: '' } })),
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    content: fc.record({ spec: podSpec, replicas: fc.constantFrom(0, 1), strategy: fc.constantFrom({}, null, undefined) }).map((of) => ({
      spec: said({
        replicas: of.replicas,
        strategy: of.strategy,
        selector: LABELS,
        template: { metadata: { creationTimestamp: null, labels: { app: 'x' }, annotations: {} }, spec: of.spec },
        unknownToEveryServer: 1,
      }),
      status: {},
    })),
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    content: podSpec.map((spec) => ({
      spec: {
        schedule: '*/5 * * * *',
        suspend: true,
        jobTemplate: { metadata: { creationTimestamp: null }, spec: { template: { spec: { ...spec, restartPolicy: 'Never' } } } },
      },
      status: {},
    })),
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    content: fc.constantFrom(
      { rules: [] },
      { rules: null },
      { rules: [{ apiGroups: ['', ''], resources: ['pods', 'pods'], verbs: ['get', 'get'] }] },
      { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: [] }] },
    ),
  },
  { apiVersion: 'v1', kind: 'ResourceQuota', content: quantities.map((hard) => ({ spec: { hard } })) },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    content: fc.constantFrom(
      { spec: { podSelector: {} } },
      { spec: { podSelector: { matchLabels: {} }, ingress: [], policyTypes: ['Ingress'] } },
      { spec: { podSelector: {}, ingress: [{}] } },
    ),
  },
  {
    apiVersion: `${GROUP}/v1`,
    kind: 'Widget',
    content: fc
      .record({
        size: optional(fc.constantFrom(3, 5)),
        ratio: optional(fc.constantFrom(1, 1.5, 0)),
        port: optional(fc.constantFrom(80, '80', 'http')),
        note: optional(fc.constantFrom(null, '', 'x')),
        title: optional(fc.constantFrom(null, 'mine')),
        parts: optional(fc.constantFrom([], [{ name: 'a' }], [{ name: 'a' }, { name: 'a' }], [{ name: 'a', pruned: 1 }])),
        pruned: optional(fc.constant({ deep: [1] })),
      })
      .map((spec) => ({ spec: said(spec) })),
  },
];

const manifests = fc.tuple(...SHAPES.map(({ content }) => fc.tuple(metadata, content)));

const isWrite = (request: string): boolean => !request.startsWith('GET ') && !request.includes('reviews') && !request.endsWith('(dry run)');

/**
 * Defines the tests that a server's normalization of a manifest does not count as a difference: the agent applies a work once, and then
 * does not write it again.
 */
export function describeNormalisation(worldOf: () => AgentWorld): void {
  describe.each(['Update', 'ServerSideApply'] as const)('manifests the server normalises, with strategy %s', (type) => {
    it('are applied, settle, and are not written again: not by the same agent, not by the next, not after a change by another manager', async () => {
      const world = worldOf();
      await world.cluster.apply(crds, WIDGETS, { fieldManager: 'test', force: true });
      await fc.assert(
        fc.asyncProperty(manifests, async (drawn) => {
          const namespace = await world.newNamespace();
          const objects = drawn.map(([meta, content], index): Manifest => {
            const { apiVersion, kind } = SHAPES[index] as Shape;
            const sent = type === 'ServerSideApply' ? declared(content) : content;
            return { apiVersion, kind, metadata: { namespace, name: 'x', ...(meta as object) }, ...sent };
          });
          const manifestConfigs = ['', 'apps', 'batch', 'rbac.authorization.k8s.io', 'networking.k8s.io', GROUP].flatMap((group) =>
            [
              'configmaps',
              'secrets',
              'serviceaccounts',
              'services',
              'deployments',
              'cronjobs',
              'roles',
              'resourcequotas',
              'networkpolicies',
              'widgets',
            ].map((resource) => ({ resourceIdentifier: { group, resource, name: '*', namespace: '*' }, updateStrategy: { type } })),
          );
          const work = await createWork(world, objects, { manifestConfigs });
          await appliedOrWhyNot(world, work);
          const refs = await listedWithUids(world, work, objects.length);
          await settled(world);

          await world.restartAgent();
          await settled(world, { expectNoWrites: true });

          for (const { group = '', version, resource, name } of refs) {
            const kind = { group, version, kind: '', plural: resource, namespaced: true };
            const patch = { metadata: { annotations: { 'example.com/other': 'manager' } } };
            await world.cluster.patch(kind, { namespace, name }, { type: 'merge', patch }, { fieldManager: 'other' });
          }
          await settled(world, { expectNoWrites: true });
          await applied(world, work);
          await deleteWork(world, work);
          world.takeRequests();
        }),
        { numRuns: 4, endOnFailure: true },
      );
    }, 90_000);
  });
}

/** Removes undeclared fields. Servers refuse to apply them, but prune them on create and replace. */
function declared(content: Content): Content {
  return JSON.parse(JSON.stringify(content), (key, value: unknown) => (UNDECLARED.has(key) ? undefined : value)) as Content;
}

const UNDECLARED: ReadonlySet<string> = new Set(['unknownToEveryServer', 'pruned']);

async function appliedOrWhyNot(world: AgentWorld, work: string): Promise<void> {
  try {
    await applied(world, work);
  } catch (error) {
    const { status } = await workOf(world, work);
    const messages = (status?.resourceStatus?.manifests ?? []).map(({ resourceMeta, conditions }) => [
      resourceMeta.kind,
      ...conditions.map(({ type, message }) => `${type}: ${message}`),
    ]);
    throw new Error(JSON.stringify(messages), { cause: error });
  }
}

/**
 * Waits until the applied work lists every object with its uid. The agent reports Applied once the objects exist, but a conflict may delay
 * the uids, and a pending write of the first agent must not be attributed to the next agent.
 */
function listedWithUids(world: AgentWorld, work: string, count: number): Promise<readonly AppliedResource[]> {
  return world.eventually(`${work} lists ${count} objects with their uids`, async () => {
    const listed = (await appliedWorkOf(world, work)).status?.appliedResources ?? [];
    return listed.length === count && listed.every(({ uid }) => uid) ? listed : undefined;
  });
}

/** Waits until the agent has settled, and checks the requests that it has sent. */
async function settled(world: AgentWorld, { expectNoWrites = false } = {}): Promise<void> {
  await world.settled();
  const writes = world.takeRequests().filter(isWrite);
  if (expectNoWrites) expect(writes).toEqual([]);
}
