import type { ApiRequest } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { createClient } from './client.js';
import { ConnectionError } from './connection-error.js';
import {
  brief,
  event,
  manualRuntime,
  nodes,
  page,
  refusal,
  type Scripted,
  scripted,
  settle,
  watching,
  widget,
  widgets,
} from './fixtures.js';
import type { Client } from './types.js';

function setUp(script: Scripted[], config: Partial<Parameters<typeof createClient>[0]> = {}) {
  const transport = scripted(...script);
  const runtime = manualRuntime();
  return { client: createClient({ transport, runtime, userAgent: 'tester', ...config }), transport, runtime };
}

const key = { namespace: 'ns', name: 'a' };
const reset = (sent: boolean) => new ConnectionError('reset', { code: 'ECONNRESET', server: 's', sent });

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );
}

describe('client: requests', () => {
  const JSON_TYPE = 'application/json';
  const cases: { name: string; call: (client: Client) => Promise<unknown>; want: string; headers?: object; body?: unknown }[] = [
    { name: 'gets an object', call: (c) => c.get(widgets, key), want: 'GET /apis/test.io/v1/namespaces/ns/widgets/a' },
    { name: 'gets a cluster-scoped object of the core group', call: (c) => c.get(nodes, { name: 'n' }), want: 'GET /api/v1/nodes/n' },
    { name: 'ignores the namespace of a cluster-scoped kind', call: (c) => c.get(nodes, key), want: 'GET /api/v1/nodes/a' },
    { name: 'escapes names', call: (c) => c.get(nodes, { name: 'a/b?c' }), want: 'GET /api/v1/nodes/a%2Fb%3Fc' },
    {
      name: 'gets a subresource',
      call: (c) => c.get(widgets, key, { subresource: 'scale' }),
      want: 'GET /apis/test.io/v1/namespaces/ns/widgets/a/scale',
    },
    {
      name: 'gets metadata only',
      call: (c) => c.get(widgets, key, { metadataOnly: true }),
      want: 'GET /apis/test.io/v1/namespaces/ns/widgets/a',
      headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
    },
    {
      name: 'asks for a table',
      call: (c) => c.table(widgets, { namespace: 'ns' }),
      want: 'GET /apis/test.io/v1/namespaces/ns/widgets',
      headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json' },
    },
    {
      name: 'creates with the manager of the client',
      call: (c) => c.create(widgets, widget('a')),
      want: 'POST /apis/test.io/v1/namespaces/ns/widgets?fieldManager=me',
      headers: { 'content-type': JSON_TYPE, 'user-agent': 'tester' },
      body: widget('a'),
    },
    {
      name: 'creates a subresource of another kind',
      call: (c) =>
        c.createSubresource(widgets, key, 'token', { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {} }),
      want: 'POST /apis/test.io/v1/namespaces/ns/widgets/a/token?fieldManager=me',
    },
    {
      name: 'replaces with a manager and validation of its own',
      call: (c) => c.replace(widgets, widget('a'), { fieldManager: 'you', fieldValidation: 'Strict', dryRun: true }),
      want: 'PUT /apis/test.io/v1/namespaces/ns/widgets/a?fieldManager=you&fieldValidation=Strict&dryRun=All',
      body: widget('a'),
    },
    {
      name: 'replaces a subresource',
      call: (c) => c.replace(widgets, widget('a'), { subresource: 'approval' }),
      want: 'PUT /apis/test.io/v1/namespaces/ns/widgets/a/approval?fieldManager=me',
    },
    {
      name: 'sends a merge patch to status',
      call: (c) => c.patch(widgets, key, { type: 'merge', patch: { status: null } }, { subresource: 'status' }),
      want: 'PATCH /apis/test.io/v1/namespaces/ns/widgets/a/status?fieldManager=me',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { status: null },
    },
    {
      name: 'sends a JSON patch',
      call: (c) => c.patch(widgets, key, { type: 'json', patch: [{ op: 'remove', path: '/x' }] }),
      want: 'PATCH /apis/test.io/v1/namespaces/ns/widgets/a?fieldManager=me',
      headers: { 'content-type': 'application/json-patch+json' },
      body: [{ op: 'remove', path: '/x' }],
    },
    {
      name: 'sends a strategic merge patch',
      call: (c) => c.patch(nodes, { name: 'n' }, { type: 'strategic', patch: {} }),
      want: 'PATCH /api/v1/nodes/n?fieldManager=me',
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    },
    {
      name: 'applies by force',
      call: (c) => c.apply(widgets, widget('a'), { force: true }),
      want: 'PATCH /apis/test.io/v1/namespaces/ns/widgets/a?fieldManager=me&force=true',
      headers: { 'content-type': 'application/apply-patch+yaml' },
    },
    {
      name: 'writes as another user',
      call: (c) => c.patch(widgets, key, { type: 'merge', patch: {} }, { asUser: 'jane', dryRun: true }),
      want: 'PATCH /apis/test.io/v1/namespaces/ns/widgets/a?fieldManager=me&dryRun=All',
      headers: { 'content-type': 'application/merge-patch+json', 'impersonate-user': 'jane' },
    },
    {
      name: 'deletes under preconditions',
      call: (c) =>
        c.delete(widgets, key, { precondition: { uid: 'u', resourceVersion: '7' }, propagation: 'Foreground', gracePeriodSeconds: 0 }),
      want: 'DELETE /apis/test.io/v1/namespaces/ns/widgets/a',
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        preconditions: { uid: 'u', resourceVersion: '7' },
        propagationPolicy: 'Foreground',
        gracePeriodSeconds: 0,
      },
    },
    {
      name: 'deletes a selection',
      call: (c) => c.deleteCollection(widgets, { namespace: 'ns', labelSelector: 'a=b' }),
      want: 'DELETE /apis/test.io/v1/namespaces/ns/widgets?labelSelector=a=b',
    },
    {
      name: 'sends anything',
      call: (c) => c.raw({ method: 'GET', path: '/version' }),
      want: 'GET /version',
      headers: { accept: JSON_TYPE },
    },
  ];
  it.each(cases)('$name', async ({ call, want, headers = {}, body }) => {
    const { client, transport } = setUp([{ body: widget('a', '9') }], { fieldManager: 'me' });
    await call(client);
    const [request] = transport.requests;
    expect(brief(request as ApiRequest)).toBe(want);
    expect(request?.headers).toMatchObject(headers);
    if (body !== undefined) expect(request?.body).toEqual(body);
  });

  it('returns the stored object', async () => {
    const { client } = setUp([{ status: 201, body: widget('a', '9') }]);
    expect(await client.create(widgets, widget('a'))).toEqual(widget('a', '9'));
  });

  const mistakes: { name: string; call: (client: Client) => Promise<unknown>; says: string }[] = [
    { name: 'an empty name', call: (c) => c.delete(widgets, { namespace: 'ns', name: '' }), says: 'Widget: "" is not a name' },
    { name: 'a name that would climb', call: (c) => c.get(nodes, { name: '..' }), says: 'Node: ".." is not a name' },
    { name: 'a missing namespace', call: (c) => c.get(widgets, { name: 'a' }), says: 'metadata.namespace is missing' },
    {
      name: 'a create without namespace',
      call: (c) => c.create(widgets, { ...widget('a'), metadata: {} }),
      says: 'metadata.namespace is missing',
    },
    { name: 'an apply without manager', call: (c) => c.apply(widgets, widget('a')), says: 'an apply needs a field manager' },
  ];
  it.each(mistakes)('$name is refused before it is sent', async ({ call, says }) => {
    const { client, transport } = setUp([]);
    expect(String(await failureOf(call(client)))).toContain(says);
    expect(transport.requests).toEqual([]);
  });
});

describe('client: lists and watches', () => {
  it('completes the items of built-in lists, and reads null as no items', async () => {
    const bare = { metadata: { name: 'n' } };
    const { client } = setUp([{ body: { kind: 'NodeList', items: [bare] } }, { body: { kind: 'NodeList', items: null } }]);
    expect((await client.list(nodes)).items).toEqual([{ ...bare, apiVersion: 'v1', kind: 'Node' }]);
    expect((await client.list(nodes)).items).toEqual([]);
  });

  it('walks all pages, asking for the next only when the last one was read', async () => {
    const { client, transport } = setUp([page([widget('a'), widget('b')], '5', 'more'), page([widget('c')], '5')]);
    const names: string[] = [];
    for await (const item of client.listAll(widgets, { limit: 2, resourceVersion: '5' })) {
      names.push(`${item.metadata.name}${transport.requests.length}`);
    }
    expect(names).toEqual(['a1', 'b1', 'c2']);
    expect(transport.requests.map(brief)).toEqual([
      'GET /apis/test.io/v1/widgets?limit=2&resourceVersion=5',
      'GET /apis/test.io/v1/widgets?limit=2&continue=more',
    ]);
  });

  it('watches from a version', async () => {
    const { client, transport } = setUp([watching(event('ADDED', 'a', '6'), event('BOOKMARK', '', '7'))]);
    const seen: string[] = [];
    const options = { namespace: 'ns', resourceVersion: '5', allowBookmarks: true, timeoutSeconds: 300 };
    for await (const { type } of client.watch(widgets, options)) seen.push(type);
    expect(seen).toEqual(['ADDED', 'BOOKMARK']);
    expect(transport.requests.map(brief)).toEqual([
      'GET /apis/test.io/v1/namespaces/ns/widgets?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300',
    ]);
  });

  it('ends a silent watch with the signal of the caller, long after any deadline', async () => {
    const { client, runtime } = setUp([watching(event('ADDED', 'a', '6'), 'hang')]);
    const stop = new AbortController();
    const events = client.watch(widgets, { signal: stop.signal });
    await events.next();
    const next = failureOf(events.next());
    await runtime.advance(3_600_000);
    stop.abort(new Error('stopped'));
    expect(String(await next)).toBe('Error: stopped');
  });
});

describe('client: refusals', () => {
  it('throws the reason, code and details of a Status', async () => {
    const { client } = setUp([refusal(409, 'AlreadyExists', { details: { name: 'a' } })]);
    const error = await failureOf(client.create(widgets, widget('a')));
    expect(error).toMatchObject({
      name: 'ApiError',
      reason: 'AlreadyExists',
      code: 409,
      message: 'it is AlreadyExists',
      details: { name: 'a' },
    });
  });

  it('names the request that a proxy in between refused', async () => {
    const { client } = setUp([{ status: 502, body: '<html>bad gateway' }]);
    const error = await failureOf(client.delete(widgets, key));
    expect(error).toMatchObject({
      code: 502,
      message: 'DELETE /apis/test.io/v1/namespaces/ns/widgets/a: the server answered 502: <html>bad gateway',
    });
  });
});

describe('client: retries', () => {
  const busy = { ...refusal(429, 'TooManyRequests'), headers: { 'retry-after': '2' } };
  const down = { ...refusal(503, 'ServiceUnavailable'), headers: { 'retry-after': '1' } };
  const ok: Scripted = { body: widget('a') };
  const get = (c: Client) => c.get(widgets, key);
  const create = (c: Client) => c.create(widgets, widget('a'));
  const cases: { name: string; call: (c: Client) => Promise<unknown>; script: Scripted[]; after: number; sent: number }[] = [
    { name: 'a read that was refused as too many', call: get, script: [busy, ok], after: 2_000, sent: 2 },
    { name: 'a write that was refused as too many: it was not executed', call: create, script: [busy, ok], after: 2_000, sent: 2 },
    { name: 'a read of a server that is down for a moment', call: get, script: [down, ok], after: 1_000, sent: 2 },
    { name: 'a read whose connection broke', call: get, script: [reset(true), ok], after: 100, sent: 2 },
    { name: 'a write that never left', call: create, script: [reset(false), ok], after: 100, sent: 2 },
  ];
  it.each(cases)('repeats $name', async ({ call, script, after, sent }) => {
    const { client, transport, runtime } = setUp(script);
    const result = failureOf(call(client));
    await runtime.advance(after - 1);
    expect(transport.requests).toHaveLength(sent - 1);
    await runtime.advance(1);
    expect(await result).toBe('it succeeded');
    expect(transport.requests).toHaveLength(sent);
  });

  const final: { name: string; call: (c: Client) => Promise<unknown>; script: Scripted[]; want: object }[] = [
    { name: 'a write to a server that is down: it may have been executed', call: create, script: [down], want: { code: 503 } },
    { name: 'a write whose connection broke', call: create, script: [reset(true)], want: { code: 'ECONNRESET' } },
    { name: 'an internal error', call: get, script: [refusal(500, 'InternalError')], want: { code: 500 } },
    {
      name: 'an eviction that a budget forbids',
      call: (c) => c.createSubresource(widgets, key, 'eviction', widget('a')),
      script: [refusal(429, 'TooManyRequests')],
      want: { code: 429 },
    },
    {
      name: 'a server that asks for a long pause',
      call: get,
      script: [{ ...refusal(429, 'TooManyRequests'), headers: { 'retry-after': '3600' } }],
      want: { code: 429 },
    },
    {
      name: 'a refused connection',
      call: get,
      script: [new ConnectionError('refused', { code: 'ECONNREFUSED', server: 's', sent: false })],
      want: { code: 'ECONNREFUSED' },
    },
  ];
  it.each(final)('does not repeat $name', async ({ call, script, want }) => {
    const { client, transport, runtime } = setUp([...script, ok]);
    const result = failureOf(call(client));
    await runtime.advance(60_000);
    expect(await result).toMatchObject(want);
    expect(transport.requests).toHaveLength(1);
  });

  it('gives up after a bounded number of attempts', async () => {
    const { client, transport, runtime } = setUp(Array<Scripted>(10).fill(busy), { limits: { retries: 2 } });
    const result = failureOf(client.get(widgets, key));
    await runtime.advance(60_000);
    expect(await result).toMatchObject({ reason: 'TooManyRequests' });
    expect(transport.requests).toHaveLength(3);
  });

  it('stops waiting when the caller does', async () => {
    const { client, runtime } = setUp([busy]);
    const stop = new AbortController();
    const result = failureOf(client.get(widgets, key, { signal: stop.signal }));
    await runtime.advance(1_000);
    stop.abort(new Error('stopped'));
    expect(String(await result)).toBe('Error: stopped');
  });
});

describe('client: bounds', () => {
  const never: Scripted = () => new Promise(() => undefined);

  it('gives up on a server that does not answer, even if the transport ignores the signal', async () => {
    const { client, runtime } = setUp([never], { limits: { timeoutMs: 5_000 } });
    const result = failureOf(client.get(widgets, key));
    await runtime.advance(5_000);
    expect(await result).toMatchObject({
      name: 'ConnectionError',
      code: 'TIMEOUT',
      message: 'GET /apis/test.io/v1/namespaces/ns/widgets/a: no answer within 5 s',
    });
  });

  it('keeps at most the given number of requests in flight, in the order they were made', async () => {
    const answers: (() => void)[] = [];
    const pending: Scripted = () => new Promise((resolve) => answers.push(() => resolve({ body: {} })));
    const { client, transport } = setUp([pending, pending, pending], { limits: { inFlight: 2 } });
    const all = Promise.all(['a', 'b', 'c'].map((name) => client.get(nodes, { name })));
    await settle();
    expect(transport.requests.map((it) => it.path)).toEqual(['/api/v1/nodes/a', '/api/v1/nodes/b']);
    answers[1]?.();
    await settle();
    expect(transport.requests.map((it) => it.path)).toEqual(['/api/v1/nodes/a', '/api/v1/nodes/b', '/api/v1/nodes/c']);
    for (const answer of answers) answer();
    await all;
  });

  it('a request that was given up frees its place', async () => {
    const { client, runtime } = setUp([never, { body: widget('b') }], { limits: { inFlight: 1, timeoutMs: 1_000 } });
    const first = failureOf(client.get(widgets, key));
    const second = client.get(widgets, key);
    await runtime.advance(1_000);
    expect(await first).toMatchObject({ code: 'TIMEOUT' });
    expect(await second).toEqual(widget('b'));
  });

  it('a request whose caller has given up already is never sent', async () => {
    const { client, transport } = setUp([{ body: widget('a') }]);
    const signal = AbortSignal.abort(new Error('stopped'));
    expect(String(await failureOf(client.get(widgets, key, { signal })))).toBe('Error: stopped');
    expect(String(await failureOf(client.watch(widgets, { signal }).next()))).toBe('Error: stopped');
    expect(transport.requests).toEqual([]);
  });

  it('a request whose caller gives up while it waits is never sent', async () => {
    const { client, transport } = setUp([never], { limits: { inFlight: 1 } });
    void failureOf(client.get(widgets, key));
    const stop = new AbortController();
    const second = failureOf(client.get(widgets, key, { signal: stop.signal }));
    stop.abort(new Error('stopped'));
    expect(String(await second)).toBe('Error: stopped');
    expect(transport.requests).toHaveLength(1);
  });

  it('no place is lost, whenever a caller gives up', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      let answer: () => void = () => undefined;
      const pending: Scripted = () => new Promise((resolve) => (answer = () => resolve({ body: {} })));
      const { client } = setUp([pending, { body: {} }, { body: {} }], { limits: { inFlight: 1 } });
      const stop = new AbortController();
      const first = client.get(nodes, { name: 'first' });
      const second = failureOf(client.get(nodes, { name: 'second' }, { signal: stop.signal }));
      await settle();
      answer();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      stop.abort(new Error('stopped'));
      await Promise.all([first, second]);
      expect(await client.get(nodes, { name: 'third' })).toEqual({});
    }
  });

  it('watches do not count', async () => {
    const { client } = setUp([watching('hang'), { body: widget('a') }], { limits: { inFlight: 1 } });
    void client.watch(widgets).next();
    await settle();
    expect(await client.get(widgets, key)).toEqual(widget('a'));
  });
});

describe('client: metrics', () => {
  it('counts requests by verb, resource and code, and measures them', async () => {
    const seen: unknown[] = [];
    const metrics = {
      counter: () => ({ add: (labels: object) => void seen.push(labels) }),
      gauge: () => ({ set: () => undefined, remove: () => undefined }),
      histogram: () => ({ observe: (_: object, seconds: number) => void seen.push(seconds) }),
    };
    const slow: Scripted = async () => {
      await runtime.timers.sleep(250);
      return refusal(404, 'NotFound');
    };
    const { client, runtime } = setUp([slow, reset(true)], { metrics });
    const first = failureOf(client.get(widgets, key));
    await runtime.advance(250);
    await first;
    await failureOf(client.create(widgets, widget('a')));
    expect(seen).toEqual([
      { verb: 'get', resource: 'widgets', code: '404' },
      0.25,
      { verb: 'create', resource: 'widgets', code: 'none' },
      0,
    ]);
  });
});
