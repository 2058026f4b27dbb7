import { ApiError, type KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { expect, it } from 'vitest';
import { deleteAll, findPresent } from './apply.js';
import type { Definition } from './definitions/definition.js';

/** Returns a server with these objects. `requests` records the list and delete requests. */
function server(objects: readonly KubeObject[], listFails?: ApiError): { readonly client: Client; readonly requests: string[] } {
  const requests: string[] = [];
  const client = {
    discovery: { kindOf: async (kind: { readonly kind: string }) => kind },
    get: async ({ kind }: { readonly kind: string }, { name }: { readonly name: string }) => {
      const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
      if (!found) throw new ApiError('NotFound', 'no such object');
      return found;
    },
    list: async ({ group, version, plural }: { readonly group: string; readonly version: string; readonly plural: string }) => {
      requests.push(`list ${group}/${version}/${plural}`);
      if (listFails) throw listFails;
    },
    async *listAll({ kind }: { readonly kind: string }, { namespace }: { readonly namespace?: string }) {
      yield* objects.filter((one) => one.kind === kind && one.metadata.namespace === namespace);
    },
    delete: async (kind: { readonly kind: string }, { name }: { readonly name: string }) =>
      void requests.push(`delete ${kind.kind} ${name}`),
  } as unknown as Client;
  return { client, requests };
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      { name: 'v1beta1', served: true, storage: false },
      { name: 'v1', served: true, storage: true },
    ],
  },
} satisfies Definition;
const role: KubeObject = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' } };

it('lists the objects of a kind before it deletes the CRD, so that the server has opened their storage', async () => {
  const { client, requests } = server([definition, role]);
  await deleteAll(
    client,
    [definition, role],
    () => undefined,
    () => undefined,
  );
  expect(requests).toEqual(['delete ClusterRole r', 'list example.com/v1/widgets', 'delete CustomResourceDefinition widgets.example.com']);
});

it.each(['NotFound', 'Forbidden', 'InternalError'] as const)('deletes the CRD although the list answers %s', async (reason) => {
  const { client, requests } = server([definition], new ApiError(reason, 'no'));
  await deleteAll(
    client,
    [definition],
    () => undefined,
    () => undefined,
  );
  expect(requests.at(-1)).toBe('delete CustomResourceDefinition widgets.example.com');
});

it('finds the objects that exist, in the order of their deletion, and keeps a namespace that install did not create', async () => {
  const namespace = (name: string, annotations = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, annotations },
  });
  const objects = [namespace('ours'), namespace('theirs'), namespace('gone'), role, { ...role, metadata: { name: 'gone' } }];
  const { client, requests } = server([namespace('ours', { 'outrigger.dev/made-by': 'outrigger-install' }), namespace('theirs'), role]);
  const found = await findPresent(client, objects);
  expect(found.map(({ object, keptBecause }) => `${object.metadata.name}${keptBecause ? ' stays' : ''}`)).toEqual([
    'r',
    'theirs stays',
    'ours',
  ]);
  await deleteAll(
    client,
    objects,
    () => undefined,
    () => undefined,
  );
  expect(requests).toEqual(['delete ClusterRole r', 'delete Namespace ours']);
});

it('keeps a namespace that install created if another program runs in it', async () => {
  const namespace: KubeObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'hub', annotations: { 'outrigger.dev/made-by': 'outrigger-install' } },
  };
  const deployment = (name: string, labels = {}): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'hub', labels },
  });
  const ours = deployment('outrigger-hub', { 'app.kubernetes.io/part-of': 'outrigger' });
  const kept: string[] = [];
  const shared = server([namespace, ours, deployment('placement-controller')]);
  await deleteAll(
    shared.client,
    [namespace, ours],
    () => undefined,
    (line) => kept.push(line),
  );
  expect(shared.requests).toEqual(['delete Deployment outrigger-hub']);
  expect(kept).toEqual(['Namespace hub stays: the Deployment placement-controller of another program is in it']);

  const own = server([namespace, ours]);
  await deleteAll(
    own.client,
    [namespace, ours],
    () => undefined,
    () => undefined,
  );
  expect(own.requests).toEqual(['delete Deployment outrigger-hub', 'delete Namespace hub']);
});
