/**
 * Measures the cost of reading from a socket: a list of 20,000 objects of 2 kB and 100,000 watch events over plain HTTP on loopback,
 * compared with bare JSON.parse of the same bytes in the same run, and how long the event loop stalls while the list arrives. The server is
 * a separate process, so that only the reader is measured.
 *
 *   node --import tsx --conditions=source benchmarks/transport-ingest.ts
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ApiResponse } from '@outrigger/core';
import { createHttpTransport, createRealRuntime } from '@outrigger/kube/node';

const OBJECTS = 20_000;
const EVENTS = 100_000;
/** A real server writes in chunks of about this size. */
const CHUNK_BYTES = 64 * 1024;

function objectText(i: number): string {
  const conditions = ['Applied', 'Available', 'Configured', 'Progressing', 'Degraded'].map((type) => ({
    type,
    status: 'True',
    reason: `${type}Reason`,
    message: `The "${type}" condition is as it should be, and this text is as long as such texts are.`,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
  const fieldsV1 = {
    'f:spec': { 'f:installNamespace': {} },
    'f:status': { 'f:conditions': { 'k:{"type":"Available"}': { 'f:status': {}, 'f:reason': {} } } },
  };
  const managedFields = ['hub', 'agent', 'kubectl', 'console'].map((manager) => ({ manager, operation: 'Update', fieldsV1 }));
  const metadata = { name: `add-on-${i % 20}`, namespace: `cluster-${i}`, uid: `uid-${i}`, resourceVersion: String(i), managedFields };
  const object = {
    apiVersion: 'addon.open-cluster-management.io/v1beta1',
    kind: 'ManagedClusterAddOn',
    metadata,
    spec: {},
    status: { conditions },
  };
  return JSON.stringify(object);
}

function* listBytes(): Generator<Buffer> {
  yield Buffer.from('{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[');
  for (let i = 0; i < OBJECTS; i += 1) yield Buffer.from(`${i === 0 ? '' : ','}${objectText(i)}`);
  yield Buffer.from(']}');
}

function* eventBytes(): Generator<Buffer> {
  for (let i = 0; i < EVENTS; i += 1) yield Buffer.from(`{"type":"MODIFIED","object":${objectText(i)}}\n`);
}

function* chunked(parts: Iterable<Buffer>): Generator<Buffer> {
  let pending: Buffer[] = [];
  let bytes = 0;
  for (const part of parts) {
    pending.push(part);
    bytes += part.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(pending);
    pending = [];
    bytes = 0;
  }
  yield Buffer.concat(pending);
}

function serve(): void {
  const list = [...chunked(listBytes())];
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    Readable.from(request.url?.includes('watch') ? chunked(eventBytes()) : list, { objectMode: false }).pipe(response);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit());
}

/** Returns the processor time, including garbage collection. A busy machine does not distort it. */
async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function print(name: string, value: number, unit: string, budget?: number): void {
  console.log(JSON.stringify({ name, value: Math.round(value * 100) / 100, unit, ...(budget === undefined ? {} : { budget }) }));
}

async function measure(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['serve'], { execArgv: process.execArgv });
  const [port] = (await once(child, 'message')) as [number];
  const runtime = createRealRuntime();
  const transport = createHttpTransport({ server: `http://127.0.0.1:${port}` }, runtime, { env: {} });
  const readList = (): Promise<ApiResponse> => transport.send({ method: 'GET', path: '/list' });
  const readEvents = async (): Promise<void> => {
    const { events } = await transport.send({ method: 'GET', path: '/events', query: { watch: 'true' }, watch: true });
    let count = 0;
    for await (const _ of events ?? []) count += 1;
    if (count !== EVENTS) throw new Error(`expected ${EVENTS} events, read ${count}`);
  };

  await readList(); // This warms up the connection and the compiler.
  const text = Buffer.concat([...listBytes()]);
  const parseListMs = await cpuMs(() => JSON.parse(text.toString()));
  const stalls = monitorEventLoopDelay({ resolution: 1 });
  stalls.enable();
  const listMs = await cpuMs(readList);
  stalls.disable();

  let parseEventsMs = 0;
  for (const portion of chunked(eventBytes())) {
    const lines = portion.toString().split('\n').filter(Boolean);
    parseEventsMs += await cpuMs(() => lines.map((line) => JSON.parse(line) as unknown));
  }
  const eventsMs = await cpuMs(readEvents);

  print('transport.object_size', text.length / OBJECTS, 'bytes');
  print('transport.list.ratio_to_parse', listMs / parseListMs, 'x', 3);
  print('transport.list.rate', (OBJECTS / listMs) * 1000, 'objects per CPU second');
  print('transport.list.longest_stall', stalls.max / 1e6, 'ms');
  print('transport.watch.ratio_to_parse', eventsMs / parseEventsMs, 'x', 3);
  print('transport.watch.rate', (EVENTS / eventsMs) * 1000, 'events per CPU second');
  await transport.close();
  runtime.scope.close();
  child.disconnect();
}

await (process.argv[2] === 'serve' ? serve() : measure());
