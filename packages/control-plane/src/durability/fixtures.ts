/**
 * The process that the durability test kills: an API server on a durable store that writes as fast as it can and reports each write. Each
 * report is written synchronously, so that every report that the test reads was true before the test killed the process.
 *
 * `<program> <folder>`
 *
 * The process writes nothing until it reads, from its input, the resourceVersion from which to watch. The test can therefore start a
 * process before it kills the previous one.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { ApiRequest, KubeObject, Runtime } from '@outrigger/core';
import type { Identity } from '../handle/contract.js';
import { createApiServer } from '../handle/server.js';
import { openLmdbStore } from '../store/adapters/open-lmdb-store.js';

export const WRITERS = 8;
const PATH = '/api/v1/namespaces/default/configmaps';
const PAD = 'x'.repeat(2000);
const identity: Identity = { user: 'writer', groups: ['system:masters'] };

/** `a` and `b` are always written together; different values show a partial write. */
interface Counter extends KubeObject {
  readonly data?: { readonly a: string; readonly b: string };
}

function print(...words: readonly (string | number)[]): void {
  writeSync(1, `${words.join(' ')}\n`);
}

/** Returns a minimal runtime for requests. It loads quickly, so that the test can kill the process more often. */
function plainRuntime(): Runtime {
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => print('error', JSON.stringify(fields)), child: () => log };
  const after = (delayMs: number, task: () => void): (() => void) => {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  };
  return {
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    timers: {
      after,
      yield: () => new Promise((resolve) => setImmediate(resolve)),
      sleep: (ms: number) => new Promise<void>((resolve) => void after(ms, resolve)),
    },
    random: { next: () => Math.random(), bytes: (length: number) => new Uint8Array(length), uuid: () => randomUUID() },
    log,
  } as unknown as Runtime;
}

async function main(folder: string, since: string): Promise<void> {
  const store = await openLmdbStore(folder);
  const { handle } = createApiServer({ runtime: plainRuntime(), store });
  const send = async (request: ApiRequest): Promise<KubeObject | undefined> => {
    const { status, body } = await handle(request, identity);
    return status < 300 ? (body as KubeObject) : undefined;
  };
  await send({ method: 'POST', path: '/api/v1/namespaces', body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } } });
  void watch(since);

  const names = Array.from({ length: WRITERS }, (_, i) => `counter-${i}`);
  const counters = await Promise.all(names.map((name) => send({ method: 'GET', path: `${PATH}/${name}` }) as Promise<Counter | undefined>));
  for (const counter of counters) if (counter) print('found', counter.metadata.name ?? '', counter.data?.a ?? '', counter.data?.b ?? '');
  await Promise.all(names.map((name, i) => count(name, counters[i])));

  async function count(name: string, from: Counter | undefined): Promise<void> {
    let current = from;
    for (;;) {
      const next = Number(current?.data?.a ?? 0) + 1;
      const data = { a: String(next), b: String(next), pad: PAD };
      const { resourceVersion } = current?.metadata ?? {};
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(resourceVersion ? { resourceVersion } : {}) }, data };
      print('sent', name, next);
      current = (await send(
        current ? { method: 'PUT', path: `${PATH}/${name}`, body: object } : { method: 'POST', path: PATH, body: object },
      )) as Counter;
      print('acknowledged', name, next);
    }
  }

  async function watch(resourceVersion: string): Promise<void> {
    const { events } = await handle({ method: 'GET', path: PATH, query: { watch: 'true', resourceVersion }, watch: true }, identity);
    for await (const { type, object } of events ?? []) {
      const { metadata, data } = object as Counter;
      if (type === 'ERROR') print('error', JSON.stringify(object));
      else print('event', metadata.name ?? '', data?.a ?? '', metadata.resourceVersion ?? '');
    }
  }
}

const [program = '', folder] = process.argv.slice(1);
if (program.endsWith('durability-writer.mjs') && folder !== undefined) {
  process.stdin.once('data', (since: Buffer) => void main(folder, since.toString().trim()));
}
