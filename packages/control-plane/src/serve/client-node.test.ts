import { CoreV1Api, KubeConfig, type V1ConfigMap, Watch } from '@kubernetes/client-node';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, createControlPlane } from '../assemble.js';

/** A client nobody here wrote. */
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
});
