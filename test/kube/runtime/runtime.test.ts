import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConfigMap, configMaps, namespaces } from '@outrigger/api';
import type { ApiRequest, Transport } from '@outrigger/core';
import { type Client, createClient, createManager, reflect } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RealKube, recordedLogger, startKube } from '../../harness/index.js';
import { counter, countingController } from './counters.js';
import { bundle } from '../../../tools/simulate/bundle.js';
import { type Relay, startRelay } from '../../harness/relay.js';
import { type Eventually, OVER_SOCKETS, eventually as sharedEventually } from '../../world/eventually.js';

const runtime = createRealRuntime({ log: recordedLogger() });

describe('the runtime on a real kube-apiserver', () => {
  let kube: RealKube;
  let client: Client;
  const stops: (() => Promise<void> | void)[] = [];

  beforeAll(async () => {
    kube = await startKube();
    client = createClient({ transport: await transportTo(kube.url), runtime });
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });
  afterAll(() => kube.stop());

  async function transportTo(server: string): Promise<Transport> {
    const { connection } = await loadConnection({ kubeconfig: kube.kubeconfigPath });
    return createHttpTransport({ ...connection, server }, runtime);
  }

  async function newNamespace(name: string): Promise<string> {
    await eventually(`namespace ${name}`, async () => {
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return true;
    });
    return name;
  }

  /** Watches ConfigMaps through a relay and counts the list requests. */
  async function follow(namespace: string): Promise<{ relay: Relay; seen: Map<string, string>; lists: () => number }> {
    const relay = await startRelay(Number(new URL(kube.url).port));
    const requests: ApiRequest[] = [];
    const transport = await transportTo(`https://127.0.0.1:${relay.port}`);
    const counted: Transport = {
      send(request, signal) {
        requests.push(request);
        return transport.send(request, signal);
      },
      close: () => transport.close(),
    };
    const seen = new Map<string, string>();
    const ending = new AbortController();
    const following = (async () => {
      const options = {
        client: createClient({ transport: counted, runtime }),
        runtime,
        kind: configMaps,
        selection: { namespace, labelSelector: 'followed=true' },
      };
      for await (const event of reflect(options, ending.signal)) {
        if (event.type === 'Init') seen.clear();
        else if (event.type === 'InitApply' || event.type === 'Apply')
          seen.set(event.object.metadata.name ?? '', event.object.data?.['value'] ?? '');
        else if (event.type === 'Delete') seen.delete(event.object.metadata.name ?? '');
      }
    })();
    stops.push(async () => {
      ending.abort();
      await following;
      await transport.close();
      await relay.close();
    });
    return { relay, seen, lists: () => requests.filter(({ method, watch }) => method === 'GET' && !watch).length };
  }

  const put = (namespace: string, name: string, value: string): Promise<unknown> => {
    const object: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, labels: { followed: 'true' } },
      data: { value },
    };
    return client.apply(configMaps, object, { fieldManager: 'test', force: true });
  };

  it('a watch resumes where a dropped connection left it, without a gap and without listing again', async () => {
    const namespace = await newNamespace('dropped');
    await put(namespace, 'a', '1');
    const { relay, seen, lists } = await follow(namespace);
    await eventually('the first', async () => (seen.get('a') === '1' ? true : undefined));
    relay.cut();
    await put(namespace, 'a', '2');
    await put(namespace, 'b', '1');
    await client.delete(configMaps, { namespace, name: 'a' });
    relay.restore();
    await eventually('what happened meanwhile', async () => (seen.get('b') === '1' && !seen.has('a') ? true : undefined));
    expect(lists()).toBe(1);
  });

  it('lists again after a version that is too old (410), and notices deletions missed meanwhile', async () => {
    const namespace = await newNamespace('compacted');
    await put(namespace, 'a', '1');
    await put(namespace, 'b', '1');
    const { relay, seen, lists } = await follow(namespace);
    await eventually('both', async () => (seen.size === 2 ? true : undefined));
    relay.cut();
    await client.delete(configMaps, { namespace, name: 'a' });
    await put(namespace, 'b', '2');
    // An API server that has just started keeps no earlier changes, so the watch cannot continue from its resource version.
    await kube.restart('kube-apiserver');
    await eventually('writes after the restart', async () => {
      await put(namespace, 'c', '1');
      return true;
    });
    relay.restore();
    await eventually('the state after it', async () =>
      seen.get('b') === '2' && seen.get('c') === '1' && !seen.has('a') ? true : undefined,
    );
    expect(lists()).toBe(2);
  });

  it('the API server is killed and restarted in the middle of a watch', async () => {
    const namespace = await newNamespace('killed');
    await put(namespace, 'a', '1');
    const { seen } = await follow(namespace);
    await eventually('the first', async () => (seen.size === 1 ? true : undefined));
    await kube.kill('kube-apiserver');
    await kube.restart('kube-apiserver');
    await eventually('a write after it', async () => {
      await put(namespace, 'a', '2');
      return true;
    });
    await eventually('the write', async () => (seen.get('a') === '2' ? true : undefined));
  });

  it('a storm of conflicts ends with every step counted exactly once', async () => {
    const namespace = await newNamespace('storm');
    const names = ['one', 'two', 'three'];
    for (const name of names) await client.create(configMaps, counter(name, namespace, 15));
    for (const identity of ['left', 'right', 'third']) {
      const manager = createManager({
        runtime,
        apis: { kube: client },
        controllers: [countingController(namespace, identity)],
      });
      await manager.start();
      stops.push(() => manager.stop());
    }
    await eventually('all counted', async () => {
      const { items } = await client.list(configMaps, { namespace, labelSelector: 'counter=true' });
      return items.every(({ data }) => data?.['count'] === '15') ? true : undefined;
    });
  });

  it('a leader stopped in the middle of writing and resumed later writes nothing after its successor', async () => {
    const namespace = await newNamespace('leaders');
    await client.create(configMaps, counter('shared', namespace, 1_000_000));
    const writers: string[] = [];
    const watching = new AbortController();
    stops.push(() => watching.abort());
    void (async () => {
      const options = { client, runtime, kind: configMaps, selection: { namespace, labelSelector: 'counter=true' } };
      for await (const event of reflect(options, watching.signal)) {
        if (event.type === 'Apply') writers.push(event.object.data?.['by'] ?? '');
      }
    })();
    const folder = await mkdtemp(join(tmpdir(), 'outrigger-leaders-'));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const program = join(folder, 'leader.mjs');
    await bundle(fileURLToPath(new URL('./leader-child.ts', import.meta.url)), program);
    const first = startChild(program, namespace, 'first');
    await eventually('the first to lead', async () => (writers.filter((by) => by === 'first').length > 5 ? true : undefined));
    const second = startChild(program, namespace, 'second');
    first.kill('SIGSTOP');
    await eventually('the second to take over', async () => (writers.filter((by) => by === 'second').length > 5 ? true : undefined));
    first.kill('SIGCONT');
    const at = writers.length;
    await eventually('much more of the second', async () => (writers.length > at + 50 ? true : undefined));
    expect(writers.lastIndexOf('first')).toBeLessThan(writers.indexOf('second'));
    expect(second.exitCode).toBeNull();
  });

  function startChild(program: string, namespace: string, identity: string): ChildProcess {
    const child = spawn(process.execPath, [program, kube.kubeconfigPath, namespace, identity], { stdio: ['ignore', 'ignore', 'inherit'] });
    stops.push(() => {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
    });
    return child;
  }
});

/** A failed request counts as an unmet condition, because these tests kill and pause the server. */
const eventually: Eventually = (what, condition) =>
  sharedEventually({ ...runtime, patience: OVER_SOCKETS }, what, () => condition().catch(() => undefined));
