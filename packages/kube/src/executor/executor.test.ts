import { ApiError, errorMessage, type KubeObject, TerminalError } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { Client } from '../client/types.js';
import type { Action } from '../decision.js';
import { NotLeadingError, unfenced } from '../leader/fence.js';
import { CHILDREN, child, PARENTS } from '../runtime/fixtures.js';
import { Simulator } from '../../testing/simulator.js';
import { createVirtualRuntime } from '../../testing/virtual-runtime.js';
import { firstBatch } from './batch.js';
import { actionContent } from './content.js';
import { failureMessage, refusalOf, shouldRetry } from './error-policy.js';
import { createExecutor, type Effects, type Execution, type ExecutorOptions } from './executor.js';

const key = { namespace: 'toy', name: 'a' };
const base = { api: 'hub', kind: PARENTS } as const;

interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** A client that records calls and responds with the result of `answer`, by default an object with resourceVersion 7. */
function fakeClient(answer: (call: Call) => unknown = () => ({ kind: 'Parent', metadata: { ...key, resourceVersion: '7' } })): {
  client: Client;
  calls: Call[];
} {
  const calls: Call[] = [];
  const client = new Proxy({} as Client, {
    get:
      (_, method: string) =>
      async (...args: unknown[]) => {
        const call = { method, args };
        calls.push(call);
        return answer(call);
      },
  });
  return { client, calls };
}

async function execute(
  stages: readonly (readonly Action[])[],
  client: Client,
  { effects = {}, ...options }: Partial<ExecutorOptions> & { effects?: Effects } = {},
): Promise<Execution> {
  const runtime = createVirtualRuntime(new Simulator({ seed: 1 }), 'test');
  return createExecutor({ runtime, apis: { hub: client }, fence: unfenced, ...options }).execute(
    stages,
    { handlers: effects, remember: () => undefined },
    new AbortController().signal,
  );
}

const patch: Action = {
  ...base,
  type: 'patch',
  id: 'p',
  key,
  patch: { spec: { size: 1 } },
  precondition: { uid: 'u', resourceVersion: '5' },
};
const remove: Action = { ...base, type: 'delete', id: 'd', key, precondition: { uid: 'u' } };
const create: Action = { ...base, kind: CHILDREN, type: 'create', id: 'c', object: child('a', 0) };

describe('executor', () => {
  it('puts the precondition of a patch into its metadata, beside the other fields', async () => {
    const { client, calls } = fakeClient();
    await execute([[{ ...patch, patch: { metadata: { labels: { a: 'b' } } } }]], client);
    expect(calls[0]?.args[2]).toEqual({ type: 'merge', patch: { metadata: { labels: { a: 'b' }, uid: 'u', resourceVersion: '5' } } });
  });

  it('sends the precondition of a delete as such', async () => {
    const { client, calls } = fakeClient();
    await execute([[{ ...remove, propagation: 'Foreground' }]], client);
    expect(calls[0]?.args[2]).toMatchObject({ precondition: { uid: 'u' }, propagation: 'Foreground' });
  });

  it('applies with the manager and force of the action', async () => {
    const { client, calls } = fakeClient();
    await execute([[{ ...base, type: 'apply', id: 'a', object: child('a', 0), fieldManager: 'me', force: true }]], client);
    expect(calls[0]).toMatchObject({ method: 'apply', args: [PARENTS, child('a', 0), { fieldManager: 'me', force: true }] });
  });

  it('attempts every action of a stage, and no later stage after a failure', async () => {
    const { client, calls } = fakeClient(({ method }) => {
      if (method === 'create') throw new ApiError('Forbidden', 'no');
      return { metadata: { ...key, resourceVersion: '7' } };
    });
    const { succeeded, failures } = await execute([[create, patch], [remove]], client);
    expect(calls.map(({ method }) => method)).toEqual(['create', 'patch']);
    expect([succeeded.map(({ id }) => id), failures.map(({ action }) => action.id)]).toEqual([['p'], ['c']]);
  });

  it('counts a refusal the action accepts as done', async () => {
    const { client } = fakeClient(() => {
      throw new ApiError('NotFound', 'gone');
    });
    expect((await execute([[{ ...remove, accept: ['NotFound'] }]], client)).succeeded).toHaveLength(1);
    expect((await execute([[remove]], client)).failures).toHaveLength(1);
  });

  it('restores the labels of an object that lost them, if the action may adopt', async () => {
    const labelled = { ...child('a', 0), metadata: { ...child('a', 0).metadata, labels: { app: 'x' } } };
    const { client, calls } = fakeClient(({ method }) => {
      if (method === 'create') throw new ApiError('AlreadyExists', 'taken');
      return { kind: 'Child', metadata: { ...key, uid: 'u', resourceVersion: '7' } };
    });
    const { writes } = await execute([[{ ...create, object: labelled, adopt: true }]], client);
    expect(calls.map(({ method }) => method)).toEqual(['create', 'get', 'patch']);
    expect(calls[2]?.args[2]).toMatchObject({ patch: { metadata: { uid: 'u', resourceVersion: '7', labels: { app: 'x' } } } });
    expect(writes).toHaveLength(1);
  });

  it('tries again if the object in the way no longer exists', async () => {
    const { client } = fakeClient(({ method }) => {
      throw new ApiError(method === 'create' ? 'AlreadyExists' : 'NotFound', 'no');
    });
    const { failures } = await execute([[{ ...create, adopt: true }]], client);
    expect(failures[0]?.error).toMatchObject({ reason: 'Conflict' });
  });

  it('reads a refusal of the uid as a conflict', async () => {
    const { client } = fakeClient(() => {
      throw new ApiError('Invalid', 'field is immutable', { details: { causes: [{ field: 'metadata.uid' }] } });
    });
    const { failures } = await execute([[patch]], client);
    expect(failures[0]?.error).toMatchObject({ reason: 'Conflict' });
  });

  const deletions: { name: string; answer: unknown; want: object }[] = [
    { name: 'waits until the cache no longer has a deleted object', answer: { kind: 'Status' }, want: { goneUid: 'u' } },
    {
      name: 'waits for the new revision of an object that finalizers keep',
      answer: { kind: 'Parent', metadata: { ...key, resourceVersion: '9', deletionTimestamp: 'now' } },
      want: { goneUid: 'u', resourceVersion: '9' },
    },
  ];
  it.each(deletions)('a delete $name', async ({ answer, want }) => {
    const { writes } = await execute([[remove]], fakeClient(() => answer).client);
    expect(writes).toHaveLength(1);
    expect(writes[0]).toMatchObject(want);
    expect(writes[0]?.resourceVersion).toBe((want as { resourceVersion?: string }).resourceVersion);
  });

  it('sends nothing while the fence is closed', async () => {
    const { client, calls } = fakeClient();
    const fence = {
      check: () => {
        throw new NotLeadingError('no');
      },
    };
    const { failures } = await execute([[create, patch]], client, { fence });
    expect(calls).toEqual([]);
    expect(failures).toHaveLength(2);
  });

  it('passes its input to an effect and waits for the objects that it wrote', async () => {
    const object: KubeObject = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', resourceVersion: '4' } };
    const inputs: unknown[] = [];
    const effects: Effects = {
      async sign(input) {
        inputs.push(input);
        return [{ api: 'hub', kind: CHILDREN, object }];
      },
    };
    const { writes } = await execute([[{ type: 'effect', effect: 'sign', id: 'e', input: 3 }]], fakeClient().client, { effects });
    expect(inputs).toEqual([3]);
    expect(writes).toMatchObject([{ key: { name: 'x' }, resourceVersion: '4' }]);
  });

  it.each([
    {
      name: 'an effect without a handler',
      action: { type: 'effect', effect: 'sing', id: 'e', input: 1 } as Action,
      want: 'no handler for the effect "sing"',
    },
    { name: 'an API without a client', action: { ...patch, api: 'spoke' } as Action, want: 'no client for the API "spoke"' },
  ])('names $name', async ({ action, want }) => {
    const { failures } = await execute([[action]], fakeClient().client);
    expect(failures.map(({ error }) => errorMessage(error))).toEqual([expect.stringContaining(want)]);
  });
});

describe('batches', () => {
  const stage = (count: number): Action[] => Array.from({ length: count }, () => create);
  it.each([
    { stages: [3, 2], limit: 5, want: { sizes: [3, 2], isPartial: false } },
    { stages: [3, 3], limit: 5, want: { sizes: [3, 2], isPartial: true } },
    { stages: [6, 1], limit: 5, want: { sizes: [5], isPartial: true } },
    { stages: [5, 1], limit: 5, want: { sizes: [5], isPartial: true } },
    { stages: [0, 2], limit: 5, want: { sizes: [2], isPartial: false } },
  ])('of $stages within $limit: $want', ({ stages, limit, want }) => {
    const batch = firstBatch(stages.map(stage), limit);
    expect({ sizes: batch.stages.map(({ length }) => length), isPartial: batch.isPartial }).toEqual(want);
  });
});

describe('error policy', () => {
  it.each([
    [new ApiError('Invalid', 'x'), false],
    [new TerminalError('x'), false],
    [new ApiError('Conflict', 'x'), true],
    [new ApiError('Forbidden', 'x'), true],
    [new Error('x'), true],
    [new AggregateError([new TerminalError('x'), new ApiError('Invalid', 'x')]), false],
    [new AggregateError([new TerminalError('x'), new Error('y')]), true],
  ])('%s is retried: %s', (error, want) => expect(shouldRetry(error)).toBe(want));

  it.each(['Conflict', 'TooManyRequests', 'ServiceUnavailable', 'Timeout'] as const)('%s says nothing about the content', (reason) => {
    expect(refusalOf(patch, new ApiError(reason, 'x'))).toBeUndefined();
  });

  it('an existing object means a stale cache, unless it could have been adopted', () => {
    const error = new ApiError('AlreadyExists', 'x');
    expect(refusalOf(create, error)).toBeUndefined();
    expect(refusalOf({ ...create, adopt: true }, error)).toEqual({ reason: 'AlreadyExists', message: 'x' });
  });

  it.each(['Invalid', 'Forbidden', 'BadRequest', 'InternalError'] as const)('%s is a refusal', (reason) => {
    expect(refusalOf(patch, new ApiError(reason, 'x'))).toEqual({ reason, message: 'x' });
  });

  it('a message about a Secret names fields, never values', () => {
    const secrets = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
    const error = new ApiError('Invalid', 'data[key]: Invalid value: "canary"', {
      details: { causes: [{ field: 'data[key]', message: 'canary' }] },
    });
    expect(failureMessage({ ...patch, kind: secrets }, error)).toBe('Invalid: data[key]');
    expect(failureMessage({ ...patch, kind: secrets }, new Error('canary'))).toBe('Error');
  });
});

describe('content of an action', () => {
  it('is the same for any observed revision, and differs with the requested change', () => {
    const later = { ...patch, precondition: { uid: 'u', resourceVersion: '9' } } as Action;
    const other = { ...patch, patch: { spec: { size: 2 } } } as Action;
    expect(actionContent(later)).toBe(actionContent(patch));
    expect(actionContent(other)).not.toBe(actionContent(patch));
  });
});
