import { configMaps, namespaces, secrets } from '@outrigger/api';
import { createControlPlane } from '@outrigger/control-plane';
import { ApiError, type KubeObject, type Runtime, type Transport } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import { type Client, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { viewOf } from '@outrigger/kube/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { FollowedConfigs } from '../../../packages/hub/src/configuration/followed-configs.js';
import type { ConfigRef } from '@outrigger/rules/configuration';
import { createYaml } from './objects.js';
import { eventually } from '../../world/eventually.js';

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface Setup {
  readonly runtime: Runtime;
  readonly admin: Client;
  readonly followed: FollowedConfigs;
  readonly changes: string[];
  /** The watches that the follower opened, as `configmaps?fieldSelector=...`. */
  readonly watches: string[];
}

interface Options {
  readonly wideFrom?: number;
  readonly user?: string;
  /** Paths that contain this text are answered with an internal error while the function returns true. */
  readonly failing?: { readonly path: string; readonly isFailing: () => boolean };
}

async function setup(options: Options = {}): Promise<Setup> {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  const server = await createControlPlane({ runtime, storage: 'memory' });
  await server.start();
  stops.push(() => server.stop());
  const admin = createClient({ transport: server.transport(), runtime });
  const watches: string[] = [];
  const transport = server.transport(options.user === undefined ? undefined : { user: options.user, groups: ['system:authenticated'] });
  const client = createClient({ transport: watched(transport, watches, options.failing), runtime });
  const changes: string[] = [];
  const followed = new FollowedConfigs({
    client,
    runtime,
    retryMs: 50,
    ...(options.wideFrom === undefined ? {} : { wideFrom: options.wideFrom }),
  });
  const source = followed.source(({ ref, after }) => {
    changes.push(`${ref.name} ${typeof after === 'string' ? after : 'read'}`);
    return [];
  });
  stops.push(source.start({ wake: () => undefined, watch: () => () => undefined, view: viewOf() }));
  return { runtime, admin, followed, changes, watches };
}

function watched(transport: Transport, watches: string[], failing: Options['failing']): Transport {
  return {
    async send(request, signal) {
      if (failing?.isFailing() && request.path.includes(failing.path)) throw new ApiError('InternalError', 'conversion webhook failed');
      if (request.watch) watches.push(`${request.path} ${String(request.query?.['fieldSelector'] ?? '')}`);
      return transport.send(request, signal);
    },
    close: () => transport.close(),
  };
}

const configMap = (name: string, data: Record<string, string> = {}): KubeObject & { data: Record<string, string> } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});
const ref = (name: string, resource = 'configmaps'): ConfigRef => ({ group: '', resource, namespace: 'default', name });

describe('following configurations of any kind', () => {
  it('reports an object, its changes and its deletion', async () => {
    const { runtime, admin, followed, changes } = await setup();
    followed.follow(ref('a'));
    await eventually(runtime, 'absent', async () => (followed.get(ref('a')) === 'NotFound' ? true : undefined));
    const created = await admin.create(configMaps, configMap('a', { x: '1' }));
    await eventually(runtime, 'read', async () => {
      expect(followed.get(ref('a'))).toEqual({ specHash: specHash(created), generation: 0 });
      return true;
    });
    const patched = await admin.patch(configMaps, { namespace: 'default', name: 'a' }, { type: 'merge', patch: { data: { x: '2' } } });
    await eventually(runtime, 'read again', async () => {
      expect(followed.get(ref('a'))).toMatchObject({ specHash: specHash(patched) });
      return true;
    });
    await admin.delete(configMaps, { namespace: 'default', name: 'a' });
    await eventually(runtime, 'gone', async () => (followed.get(ref('a')) === 'NotFound' ? true : undefined));
    expect(changes).toEqual(['a NotFound', 'a read', 'a read', 'a NotFound']);
  });

  it('does not report a change of labels', async () => {
    const { runtime, admin, followed, changes } = await setup();
    await admin.create(configMaps, configMap('a'));
    followed.follow(ref('a'));
    await eventually(runtime, 'read', async () => (typeof followed.get(ref('a')) === 'string' ? undefined : true));
    await admin.patch(configMaps, { namespace: 'default', name: 'a' }, { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } });
    await runtime.timers.sleep(100);
    expect(changes).toEqual(['a read']);
  });

  it('a kind that is not served yet is found when it is', async () => {
    const { runtime, admin, followed } = await setup();
    const widget: ConfigRef = { group: 'example.com', resource: 'widgets', namespace: '', name: 'w' };
    followed.follow(widget);
    await eventually(runtime, 'not served', async () => (followed.get(widget) === 'NotServed' ? true : undefined));
    await createYaml(admin, WIDGETS);
    await eventually(runtime, 'served, and absent', async () => (followed.get(widget) === 'NotFound' ? true : undefined));
  });

  it.each([
    { name: 'the kind', path: '/configmaps' },
    { name: 'discovery', path: '/api' },
  ])('while the server fails for $name, an object that was never read counts as failing, and one that was read stays', async ({ path }) => {
    let isFailing = false;
    const { runtime, admin, followed } = await setup({ failing: { path, isFailing: () => isFailing } });
    await admin.create(configMaps, configMap('a'));
    await admin.create(configMaps, configMap('b'));
    if (path === '/configmaps') {
      followed.follow(ref('b'));
      await eventually(runtime, 'read', async () => (typeof followed.get(ref('b')) === 'string' ? undefined : true));
    }
    isFailing = true;
    followed.follow(ref('a'));
    expect(followed.get(ref('a'))).toBe('Unread');
    await eventually(runtime, 'failing', async () => (followed.get(ref('a')) === 'Failing' ? true : undefined));
    if (path === '/configmaps') expect(typeof followed.get(ref('b'))).toBe('object');
    isFailing = false;
    await eventually(runtime, 'read at last', async () => (typeof followed.get(ref('a')) === 'string' ? undefined : true));
  });

  it('AT-15 an object that the manager may not read is Forbidden until it may, and only the digest of a Secret is stored', async () => {
    const { runtime, admin, followed } = await setup({ user: 'manager' });
    await admin.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'default' },
      stringData: { p: 'canary' },
    });
    followed.follow(ref('s', 'secrets'));
    await eventually(runtime, 'forbidden', async () => (followed.get(ref('s', 'secrets')) === 'Forbidden' ? true : undefined));
    await createYaml(admin, SECRET_READER);
    await eventually(runtime, 'read', async () => (typeof followed.get(ref('s', 'secrets')) === 'string' ? undefined : true));
    expect(Object.keys(followed.get(ref('s', 'secrets')) as object)).toEqual(['specHash', 'generation']);
  });

  it('watches the kind once if there are many objects, and still reports changes of each', async () => {
    const { runtime, admin, followed, watches } = await setup({ wideFrom: 5 });
    await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) await admin.create(configMaps, configMap(name));
    const withoutNamespace = { ...ref('a'), namespace: '' };
    followed.follow(withoutNamespace);
    for (const name of names) followed.follow(ref(name));
    await eventually(runtime, 'all are read', async () =>
      names.every((name) => typeof followed.get(ref(name)) !== 'string') ? true : undefined,
    );
    expect(watches.filter((watch) => watch.endsWith('configmaps ')).length).toBe(1);
    expect(followed.get(withoutNamespace)).toBe('NoNamespace');
    const patched = await admin.patch(configMaps, { namespace: 'default', name: 'b' }, { type: 'merge', patch: { data: { x: '2' } } });
    await eventually(runtime, 'the change is told', async () => {
      expect(followed.get(ref('b'))).toMatchObject({ specHash: specHash(patched) });
      return true;
    });
  });

  it('a config that is not referenced any more is dropped', async () => {
    const { runtime, admin, followed } = await setup();
    await admin.create(configMaps, configMap('a'));
    followed.follow(ref('a'));
    await eventually(runtime, 'read', async () => (typeof followed.get(ref('a')) === 'string' ? undefined : true));
    followed.unfollow(ref('a'));
    expect([followed.isFollowing(ref('a')), followed.get(ref('a'))]).toEqual([false, 'Unread']);
  });
});

const WIDGETS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Cluster
  names: { kind: Widget, plural: widgets, singular: widget, listKind: WidgetList }
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

const SECRET_READER = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: default }
rules: [{ apiGroups: [""], resources: [secrets], resourceNames: [s], verbs: [get, list, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: reader, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects: [{ kind: User, apiGroup: rbac.authorization.k8s.io, name: manager }]
`;
