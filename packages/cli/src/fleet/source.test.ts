import { configMaps } from '@outrigger/api';
import { type ControlPlane, createControlPlane } from '@outrigger/control-plane';
import type { Transport } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchingSource } from './source.js';

const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });

describe('a source that watches', () => {
  let server: ControlPlane;
  let hub: Client;
  const asked: string[] = [];

  beforeAll(async () => {
    server = await createControlPlane({ runtime, storage: 'memory', crds: [] });
    await server.start();
    const transport = server.transport();
    const counting: Transport = {
      ...transport,
      send: (request, signal) => {
        if (request.method === 'GET') asked.push(request.watch === true ? 'watch' : 'list');
        return transport.send(request, signal);
      },
    };
    hub = createClient({ transport: counting, runtime });
  });
  afterAll(async () => {
    await server.stop();
    runtime.scope.close();
  });

  const object = (name: string, text: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { text },
  });

  it('lists a kind once and reports every change after that', async () => {
    const ending = new AbortController();
    const source = watchingSource({ hub, runtime, signal: ending.signal, onLost: (message) => expect(message).toBeUndefined() });
    const texts = async (): Promise<readonly string[]> =>
      (await source.list(configMaps, 'default'))
        .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
        .map(({ data }) => data?.['text'] ?? '');
    const becomes = async (...want: readonly string[]): Promise<void> => {
      while (JSON.stringify(await texts()) !== JSON.stringify(want)) await source.changed(ending.signal);
    };
    await becomes();
    await hub.create(configMaps, object('one', 'a'));
    await becomes('a');
    await hub.patch(configMaps, { namespace: 'default', name: 'one' }, { type: 'merge', patch: { data: { text: 'b' } } });
    await becomes('b');
    await hub.delete(configMaps, { namespace: 'default', name: 'one' });
    await becomes();
    ending.abort();
    expect(asked.filter((what) => what === 'list')).toHaveLength(1);
    expect(asked).toContain('watch');
  });

  it('a hub that refuses the first list is a failure, not something to wait for', async () => {
    const nobody = createClient({ transport: server.transport({ user: 'nobody', groups: [] }), runtime });
    const ending = new AbortController();
    const source = watchingSource({ hub: nobody, runtime, signal: ending.signal, onLost: () => undefined });
    await expect(source.list(configMaps)).rejects.toThrow('nobody');
    ending.abort();
  });
});
