/**
 * Measures the console's app with a synthetic fleet of 10,000 clusters and 20 add-ons in a real Chromium: the bytes of the first load and
 * of the snapshot, the time to the first useful paint, the heap, and the work of the main thread per frame while the user scrolls and 1,000
 * cells change per second. Frames are measured twice: in processor time of the thread, which other programs do not affect, and in elapsed
 * time, which is what a user sees and which needs a quiet machine.
 *
 *   npm run bench -- console
 */
import { launch } from '../test/console/harness/browser.js';
import { startSyntheticServer } from '../test/console/harness/synthetic-server.js';
import { APP, buildConsoleApp } from '../tools/console-app.mjs';

const FRAME_MS = 1_000 / 60;
const CHANGES = 500;
const ROUNDS = 36;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** The processor time of the thread, which other programs on the machine do not affect. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const report = (name: string, value: number, unit: string, budget?: number): void => {
  process.stdout.write(
    `${JSON.stringify({ name, value: Math.round(value * 100) / 100, unit, ...(budget === undefined ? {} : { budget }) })}\n`,
  );
};

/**
 * Returns the work of the main thread in each frame of the trace, in milliseconds, sorted. A task belongs to the frame in which it starts.
 */
function workPerFrame(events: readonly TraceEvent[], workOf: (task: TraceEvent) => number): number[] {
  const mains = events
    .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid}:${tid}`);
  const tasks = events.filter(
    ({ name, ph, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && ph === 'X' && mains.includes(`${pid}:${tid}`),
  );
  if (tasks.length === 0) throw new Error('the trace has no task of a main thread');
  const first = Math.min(...tasks.map(({ ts }) => ts));
  const last = Math.max(...tasks.map(({ ts }) => ts));
  const frames = Array.from({ length: Math.floor((last - first) / 1_000 / FRAME_MS) + 1 }, () => 0);
  for (const task of tasks) {
    const frame = Math.floor((task.ts - first) / 1_000 / FRAME_MS);
    frames[frame] = (frames[frame] ?? 0) + workOf(task) / 1_000;
  }
  return frames.sort((a, b) => a - b);
}

const sizes = await buildConsoleApp();
report('console: script of the first load, compressed', sizes.script / 1_000, 'kB', 120);
report('console: all files, compressed', sizes.all / 1_000, 'kB');
const server = await startSyntheticServer(APP, { clusters: 10_000, addOns: 20 });
report('console: snapshot of 10,000 × 20, compressed', server.snapshotBytes() / 1_000_000, 'MB', 2);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
const began = performance.now();
await page.goto(server.origin);
await page.locator('.map canvas').waitFor();
report('console: first useful paint, synthetic server included', performance.now() - began, 'ms');
const arrived = await page.evaluate(
  "performance.now() - performance.getEntriesByType('resource').find(({ name }) => name.endsWith('/api/fleet')).responseEnd",
);
report('console: from the arrival of the snapshot to the map', Number(arrived), 'ms');
const session = await page.context().newCDPSession(page);
let bytes = 0;
await page.locator('.map').hover();
await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] });
for (let round = 0; round < ROUNDS; round++) {
  bytes += server.change(CHANGES);
  for (let step = 0; step < 10; step++) {
    await page.mouse.wheel(0, 160);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }
}
const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as { traceEvents: readonly TraceEvent[] };
for (const [kind, workOf] of [
  ['processor time', ({ dur = 0, tdur = dur }: TraceEvent) => tdur],
  ['wall time', ({ dur = 0 }: TraceEvent) => dur],
] as const) {
  const frames = workPerFrame(trace.traceEvents, workOf);
  const at = (share: number): number => frames[Math.floor(frames.length * share)] ?? 0;
  report(`console: main thread per frame while scrolling and changing, ${kind}, median`, at(0.5), 'ms');
  report(`console: main thread per frame while scrolling and changing, ${kind}, p99`, at(0.99), 'ms', 8);
}
report('console: bytes on the wire per changed cell, uncompressed', bytes / (ROUNDS * CHANGES), 'B');
await session.send('HeapProfiler.enable');
await session.send('HeapProfiler.collectGarbage');
const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
report('console: heap and buffers of the page after garbage collection', (usedSize + backingStorageSize) / 1_000_000, 'MB', 150);
await browser.close();
await server.close();
