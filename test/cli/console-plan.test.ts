// The console answers other requests while it plans a rollback, because the plan runs in a separate thread, as in the bundled command.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PlanPage, ViewAnswer } from '@outrigger/console-contract';
import type { KubeObject } from '@outrigger/core';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type RunningConsole, startConsole } from '../../packages/cli/src/console/start.js';
import { fleetOf } from '../../packages/hub/src/controllers/fleet/fixtures.js';
import { clusterNames, entryAt, follow, listingOf } from '../../packages/hub/src/planner/fixtures.js';
import { bundle } from '../../tools/bundle.mjs';

const SIZE = 100;
const SLOW = { type: 'Progressive', progressive: { maxConcurrency: '1%', minSuccessTime: '1m' } };

/**
 * Returns the objects of a hub, keyed by the plural of their kind. Every cluster is a copy of the only cluster of a small world: its add-on
 * has revision 2, and a rollback can go to revision 1.
 */
function objectsByPlural(): ReadonlyMap<string, readonly KubeObject[]> {
  const names = clusterNames(SIZE);
  const [first = ''] = names;
  const world = fleetOf([first], { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: SLOW });
  follow(world, [first], () => 60_000);
  world.template('v2', 'hello:2');
  world.declare({ installStrategy: { type: 'Placements', placements: [entryAt('v2', SLOW)] } });
  follow(world, [first], () => 60_000);
  const copy = (object: KubeObject, key: object): KubeObject => ({ ...object, metadata: { ...object.metadata, ...key } });
  const decisions = names.map((clusterName) => ({ clusterName, reason: '' }));
  const copies: Readonly<Record<string, (object: KubeObject) => readonly KubeObject[]>> = {
    ManagedCluster: (object) => names.map((name) => copy(object, { name, uid: name })),
    ManagedClusterAddOn: (object) => names.map((namespace) => copy(object, { namespace, uid: namespace })),
    PlacementDecision: (object) => [{ ...object, status: { decisions } } as KubeObject],
    Placement: (object) => [{ ...object, status: { numberOfSelectedClusters: SIZE } } as KubeObject],
  };
  return new Map(
    [...listingOf(world).objects].map(([{ kind }, listed]) => [kind.plural, listed.flatMap((one) => copies[one.kind]?.(one) ?? [one])]),
  );
}

/** Starts an API server that lists the given objects, and whose watches never report a change. */
async function serve(objects: ReadonlyMap<string, readonly KubeObject[]>): Promise<Server> {
  const lists = new Map([...objects].map(([plural, items]) => [plural, JSON.stringify({ metadata: { resourceVersion: '1' }, items })]));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hub');
    const [, plural = '', name] = /^\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/[^/]+)?\/([^/]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    const status = name === undefined ? 200 : 404;
    response.writeHead(status, { 'content-type': 'application/json' });
    if (status === 404) response.end('{"kind":"Status","status":"Failure","reason":"NotFound","code":404,"message":"there is none"}');
    else if (url.searchParams.has('watch')) response.flushHeaders();
    else response.end(lists.get(plural) ?? '{"metadata":{"resourceVersion":"1"},"items":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/**
 * A program that keeps its thread busy until a file exists, and then plans. If the console ran this program in its own thread, the console
 * would answer no request until then.
 */
const busyUntil = (file: string, program: string): string => `
import { existsSync } from 'node:fs';
const never = new Int32Array(new SharedArrayBuffer(4));
while (!existsSync(${JSON.stringify(file)})) Atomics.wait(never, 0, 0, 10);
await import(${JSON.stringify(pathToFileURL(program).href)});
`;

let folder: string;
let permission: string;
let hub: Server;
let console_: RunningConsole;
let origin: string;
let cookie: string;

beforeAll(async () => {
  const [file] = await Promise.all([bundle(), serve(objectsByPlural()).then((server) => (hub = server))]);
  const { port } = hub.address() as AddressInfo;
  folder = await mkdtemp(join(tmpdir(), 'outrigger-plan-'));
  permission = join(folder, 'may-plan');
  const planProgram = join(folder, 'plan.mjs');
  await writeFile(planProgram, busyUntil(permission, join(dirname(file), 'plan-worker.js')));
  console_ = await startConsole({
    runtime: createRealRuntime(),
    connection: { server: `http://127.0.0.1:${port}` },
    env: {},
    hubName: 'test',
    port: 0,
    planProgram,
  });
  origin = `http://127.0.0.1:${console_.port}`;
  const opened = await fetch(console_.address(), { redirect: 'manual' });
  cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterAll(async () => {
  await console_?.stop();
  hub?.closeAllConnections();
  hub?.close();
  await rm(folder, { recursive: true, force: true });
});

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(origin + path, { headers: { cookie } });
  expect(answer.status, path).toBe(200);
  return ((await answer.json()) as ViewAnswer & { data: T }).data;
}

test('views are answered while a plan is computed, and the plan follows', async () => {
  await expect.poll(async () => (await fetch(`${origin}/readyz`)).status, { timeout: 30_000 }).toBe(200);
  const plan = (revision: number) => get<PlanPage>(`/api/addons/hello/plan?revision=${revision}`);
  const first = await plan(1);
  expect(first).toMatchObject({ moving: SIZE, staying: 0 });
  expect(first.planningSince).toBeDefined();
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  expect(await get('/api/summary')).toMatchObject({ clusters: { available: SIZE } });
  expect((await plan(1)).planningSince).toBeDefined();
  await writeFile(permission, '');
  const planned = await vi.waitUntil(
    async () => {
      const page = await plan(1);
      return page.planningSince === undefined ? page : undefined;
    },
    { timeout: 50_000, interval: 50 },
  );
  expect(planned?.forecastProblem).toBeUndefined();
  expect(planned?.forecast).toMatchObject({ entries: [{ outcome: 'Completed' }] });
  // The result is kept, so that the second request of the user does not plan again.
  expect((await plan(1)).forecast).toEqual(planned?.forecast);
});
