import { ApiError, isApiError } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { createClient } from './client.js';
import { manualRuntime, nodes, refusal, type Scripted, scripted } from './fixtures.js';
import { reflect } from './reflect.js';
import { requestedDelayMs } from './retry.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

function setUp(script: readonly Scripted[]) {
  const runtime = manualRuntime();
  const client = createClient({ transport: scripted(...script), runtime, limits: { retries: 0 } });
  return { runtime, client };
}

describe('the delay that a server requests', () => {
  const later = { 'retry-after': '20' };
  it.each<[string, Scripted, number | undefined]>([
    ['in the header of a plain text', { status: 429, headers: later, body: 'Too many requests, please try again later.' }, 20],
    ['in the header beside a Status', { ...refusal(503, 'ServiceUnavailable'), headers: later }, 20],
    [
      'in a Status, which comes before the header',
      { ...refusal(429, 'TooManyRequests', { details: { retryAfterSeconds: 3 } }), headers: later },
      3,
    ],
    ['in no number of seconds', { status: 503, headers: { 'retry-after': 'Wed, 18 Nov 2026 07:28:00 GMT' } }, undefined],
    ['never', refusal(500, 'InternalError'), undefined],
  ])('%s is part of the error', async (_, answer, seconds) => {
    const { client } = setUp([answer]);
    const error = await client.get(nodes, { name: 'a' }).catch((reason: unknown) => reason);
    expect(isApiError(error) && error.details?.retryAfterSeconds).toBe(seconds);
  });

  it.each<[unknown, number]>([
    [20, 20 * SECOND],
    [86_400, 5 * MINUTE],
    [Number.POSITIVE_INFINITY, 5 * MINUTE],
    [-1, 0],
    [Number.NaN, 0],
    ['soon', 0],
    [undefined, 0],
  ])('of %s seconds is at most five minutes', (seconds, ms) => {
    const details = { retryAfterSeconds: seconds as number };
    expect(requestedDelayMs(new ApiError('TooManyRequests', 'busy', { details }))).toBe(ms);
  });

  it.each([
    ['', 800],
    ['20', 20 * SECOND],
    ['3600', MINUTE],
  ])('%s: is respected by a list for at most a minute', async (seconds, delayMs) => {
    const { runtime, client } = setUp([{ status: 429, headers: { 'retry-after': seconds } }]);
    const delays: number[] = [];
    const stop = new AbortController();
    const onFailure = (_: unknown, ms: number): void => {
      delays.push(ms);
      stop.abort();
    };
    for await (const _ of reflect({ client, runtime, kind: nodes, onFailure }, stop.signal));
    expect(delays).toEqual([delayMs]);
  });
});
