// The console answers other requests while it plans a rollback of a thousand clusters, because the plan runs in a separate thread, as in
// the bundled command.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlanPage, ViewAnswer } from '@outrigger/console-contract';
import type { KubeObject } from '@outrigger/core';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../../packages/cli/src/console/start.js';
import { fleetOf } from '../../packages/hub/src/controllers/fleet/fixtures.js';
import { clusterNames, entryAt, follow, listingOf } from '../../packages/hub/src/planner/fixtures.js';
import { bundle } from '../../tools/bundle.mjs';

const SIZE = 1_000;
/**
 * The rounds of requests that the console must answer during the plan. If the plan ran in the console's own thread, the first round would be
 * answered only after the plan, and there would be no second one.
 */
const ENOUGH = 2;
const SLOW = { type: 'Progressive', progressive: { maxConcurrency: '1%', minSuccessTime: '1m' } };

/** The objects of a hub on which every cluster is like the only cluster of a small world: at revision 2, with revision 1 in the history. */
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

let hub: Server;
let console_: RunningConsole;
let origin: string;
let cookie: string;

beforeAll(async () => {
  const [file] = await Promise.all([bundle(), serve(objectsByPlural()).then((server) => (hub = server))]);
  const { port } = hub.address() as AddressInfo;
  console_ = await startConsole({
    runtime: createRealRuntime(),
    connection: { server: `http://127.0.0.1:${port}` },
    env: {},
    hubName: 'test',
    port: 0,
    planProgram: join(dirname(file), 'plan-worker.js'),
  });
  origin = `http://127.0.0.1:${console_.port}`;
  const opened = await fetch(console_.address(), { redirect: 'manual' });
  cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
}, 60_000);
afterAll(async () => {
  await console_?.stop();
  hub?.closeAllConnections();
  hub?.close();
});

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(origin + path, { headers: { cookie } });
  expect(answer.status, path).toBe(200);
  return ((await answer.json()) as ViewAnswer & { data: T }).data;
}

test('views are answered while a plan of a thousand clusters is computed, and the plan follows', { timeout: 60_000 }, async () => {
  await expect.poll(async () => (await fetch(`${origin}/readyz`)).status, { timeout: 30_000 }).toBe(200);
  const plan = (revision: number) => get<PlanPage>(`/api/addons/hello/plan?revision=${revision}`);
  const first = await plan(1);
  expect(first).toMatchObject({ moving: SIZE, staying: 0 });
  expect(first.planningSince).toBeDefined();
  let answered = 0;
  let last = first;
  while (last.planningSince !== undefined) {
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    expect(await get('/api/summary')).toMatchObject({ clusters: { available: SIZE } });
    answered++;
    // These answers are enough. Further ones would only take processor time from the plan.
    if (answered >= ENOUGH) await delay(100);
    last = await plan(1);
  }
  expect(answered).toBeGreaterThanOrEqual(ENOUGH);
  expect(last.forecastProblem).toBeUndefined();
  expect(last.forecast).toMatchObject({ entries: [{ outcome: 'Completed' }] });
  // The result is kept, so that the second request of the user does not plan again.
  expect((await plan(1)).forecast).toEqual(last.forecast);
});
