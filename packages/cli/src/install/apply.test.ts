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
  expect(found.map(({ object, isKept }) => `${object.metadata.name}${isKept ? ' stays' : ''}`)).toEqual(['r', 'theirs stays', 'ours']);
  await deleteAll(
    client,
    objects,
    () => undefined,
    () => undefined,
  );
  expect(requests).toEqual(['delete ClusterRole r', 'delete Namespace ours']);
});
