import { Simulator, createVirtualRuntime } from '@outrigger/kube/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { repeatExpiryCheck } from './expiry-check.js';

const MINUTE_MS = 60_000;

let simulator: Simulator;
let isExpired: boolean;
let calls: number;
let tokens: number;

beforeEach(() => {
  simulator = new Simulator({ seed: 1 });
  [isExpired, calls, tokens] = [false, 0, 0];
});

function start(hasNewToken = false): () => Promise<void> {
  const runtime = createVirtualRuntime(simulator, 'up');
  return repeatExpiryCheck(
    runtime,
    async () => {
      calls++;
      if (isExpired) tokens++;
      return isExpired;
    },
    hasNewToken,
  );
}

describe('a running simulated cluster', () => {
  it('gets one token within a minute after its certificate has expired', async () => {
    start();
    await simulator.advance(60 * MINUTE_MS);
    expect(tokens).toBe(0);
    isExpired = true;
    await simulator.advance(MINUTE_MS);
    expect(tokens).toBe(1);
    await simulator.advance(8 * MINUTE_MS);
    expect(tokens).toBe(1);
    isExpired = false;
    await simulator.advance(60 * MINUTE_MS);
    expect(tokens).toBe(1);
  });

  it('gets another token if it could not use the first, and again if its certificate expires again', async () => {
    start();
    isExpired = true;
    await simulator.advance(12 * MINUTE_MS);
    expect(tokens).toBe(2);
    isExpired = false;
    await simulator.advance(60 * MINUTE_MS);
    isExpired = true;
    await simulator.advance(MINUTE_MS);
    expect(tokens).toBe(3);
  });

  it('keeps the token that it started with until it had time to use it', async () => {
    start(true);
    isExpired = true;
    await simulator.advance(9 * MINUTE_MS);
    expect(tokens).toBe(0);
    await simulator.advance(2 * MINUTE_MS);
    expect(tokens).toBe(1);
  });

  it('is checked again after a check that failed', async () => {
    let attempts = 0;
    repeatExpiryCheck(
      createVirtualRuntime(simulator, 'up'),
      async () => {
        attempts++;
        throw new Error('the hub does not answer');
      },
      false,
    );
    await simulator.advance(3 * MINUTE_MS);
    expect(attempts).toBe(3);
  });

  it('is not checked after the end', async () => {
    const stop = start();
    await simulator.advance(MINUTE_MS);
    await stop();
    await simulator.advance(60 * MINUTE_MS);
    expect(calls).toBe(1);
  });
});
