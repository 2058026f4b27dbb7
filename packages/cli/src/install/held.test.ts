import { ApiError, type KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { expect, it } from 'vitest';
import type { Definition } from './definitions/definition.js';
import { findHeld, heldText } from './held.js';

function definition(kind: string, plural: string, scope: string): Definition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: { group: 'example.com', scope, names: { kind, plural }, versions: [{ name: 'v1', served: true, storage: true }] },
  };
}

const clusters = definition('ManagedCluster', 'managedclusters', 'Cluster');
const sets = definition('Set', 'sets', 'Namespaced');
const works = definition('AppliedManifestWork', 'appliedmanifestworks', 'Cluster');

function object(name: string, namespace?: string, finalizers: readonly string[] = ['example.com/cleanup']): KubeObject {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), finalizers };
  return { apiVersion: 'example.com/v1', kind: 'Any', metadata };
}

function clientWith(objects: Readonly<Record<string, readonly KubeObject[]>>): Client {
  const client = {
    async *listAll({ plural }: { readonly plural: string }): AsyncGenerator<KubeObject> {
      const found = objects[plural];
      if (!found) throw new ApiError('NotFound', 'the server could not find the requested resource');
      yield* found;
    },
  };
  return client as unknown as Client;
}

it('finds nothing if no object has a finalizer, or a kind is not served', async () => {
  const client = clientWith({ sets: [object('a', 'default', [])] });
  expect(await findHeld(client, [clusters, sets])).toEqual([]);
});

it.each([
  {
    part: 'hub' as const,
    objects: { managedclusters: [object('edge1'), object('edge2')], sets: [object('a', 'default'), object('b', 'default', [])] },
    text: '2 ManagedClusters, 1 Set with finalizers, which only the manager and the agents remove: their kinds would stay half deleted: while a manager runs, detach the clusters first: `outrigger detach edge1 --yes`',
  },
  {
    part: 'hub' as const,
    objects: { sets: [object('a', 'default')] },
    text: '1 Set with finalizers, which only the manager and the agents remove: their kinds would stay half deleted: while a manager runs, delete them first: `kubectl delete sets a -n default`',
  },
  {
    part: 'agent' as const,
    objects: { appliedmanifestworks: [object('x')] },
    text: '1 AppliedManifestWork with finalizers, which only the agent removes: their kinds would stay half deleted: while the agent in open-cluster-management-agent runs, detach the cluster on the hub first',
  },
])('names the objects that hold the kinds of the $part, and what to do: $text', async ({ part, objects, text }) => {
  expect(heldText(part, await findHeld(clientWith(objects), [clusters, sets, works]))).toBe(text);
});
