import { CoreV1Api, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions, type V1ConfigMap, Watch } from '@kubernetes/client-node';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, createControlPlane } from '../assemble.js';

/** Tests with a third-party client library. */
describe('the stock JavaScript client', () => {
  const runtime = createRealRuntime();
  const config = new KubeConfig();
  let plane: ControlPlane;
  let core: CoreV1Api;

  beforeAll(async () => {
    plane = await createControlPlane({ runtime, storage: 'memory' });
    await plane.start();
    config.loadFromString((await plane.serve()).adminKubeconfig);
    core = config.makeApiClient(CoreV1Api);
  });
  afterAll(async () => {
    await plane.stop();
    runtime.scope.close();
  });

  it('reads, writes, watches and is refused', async () => {
    const { items } = await core.listNamespace();
    expect(items.map(({ metadata }) => metadata?.name)).toContain('kube-system');

    let stop: AbortController | undefined;
    const seen = new Promise<V1ConfigMap>((resolve) => {
      void new Watch(config)
        .watch(
          '/api/v1/namespaces/default/configmaps',
          {},
          (_, object: V1ConfigMap) => object.metadata?.name === 'mine' && resolve(object),
          () => {},
        )
        .then((controller) => {
          stop = controller;
        });
    });
    const created = await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'mine' }, data: { a: '1' } } });
    expect((await seen).metadata?.uid).toBe(created.metadata?.uid);
    stop?.abort();

    const again = core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'mine' } } });
    await expect(again).rejects.toMatchObject({ code: 409 });
    await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'mine' });
    await expect(core.readNamespacedConfigMap({ namespace: 'default', name: 'mine' })).rejects.toMatchObject({ code: 404 });
  });

  it('keeps its informer equal to the stored objects', async () => {
    const namespace = 'default';
    const labelSelector = 'watched=yes';
    const events: string[] = [];
    const list = (): ReturnType<CoreV1Api['listNamespacedConfigMap']> => core.listNamespacedConfigMap({ namespace, labelSelector });
    const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, list, labelSelector);
    const deleted = new Promise<void>((resolve) => {
      for (const event of ['add', 'update', 'delete'] as const)
        informer.on(event, ({ metadata, data }) => {
          events.push(`${event} ${metadata?.name} ${data?.['n']}`);
          if (event === 'delete') resolve();
        });
    });
    const make = (name: string): V1ConfigMap => ({ metadata: { name, labels: { watched: 'yes' } }, data: { n: '1' } });
    await core.createNamespacedConfigMap({ namespace, body: make('before') });
    await informer.start();
    await core.createNamespacedConfigMap({ namespace, body: make('during') });
    const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    await core.patchNamespacedConfigMap({ namespace, name: 'before', body: { data: { n: '2' } } }, merge);
    await core.deleteNamespacedConfigMap({ namespace, name: 'during' });
    await deleted;
    await informer.stop();
    expect(events).toEqual(['add before 1', 'add during 1', 'update before 2', 'delete during 1']);
    expect(informer.list().map(({ metadata, data }) => `${metadata?.name} ${data?.['n']}`)).toEqual(['before 2']);
  });
});
