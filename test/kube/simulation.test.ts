import type { History, Step } from '@outrigger/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubServer } from '../simulation/processes/hub-server.js';
import { runProcesses } from '../simulation/processes/run.js';

const strategy = {
  type: 'Placements',
  rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: '8s', minSuccessTime: '0s' },
  hasCanary: false,
  defaultVersion: 'v1',
} as const;

const after = (afterMs: number, step: Step): History['steps'][number] => ({ afterMs, step });

/**
 * Several faults in one rollout: the leader is killed at a write, a manager is paused, the connection of one agent is cut, and another
 * agent crashes.
 */
const HISTORY: History = {
  seed: 0,
  hasReplica: true,
  steps: [
    after(0, { do: 'declare', addOn: 'alpha', strategy }),
    after(500, { do: 'crash', writes: 3, downMs: 500 }),
    after(0, { do: 'edit template', addOn: 'alpha', version: 'v1', content: 'good-1' }),
    after(200, { do: 'cluster away', cluster: 'c2', forMs: 1_000 }),
    after(200, { do: 'lag', process: 1, resource: '*', ms: 1_000, forMs: 1_000 }),
    after(0, { do: 'install by hand', addOn: 'beta', cluster: 'c3' }),
    after(200, { do: 'agent crash', cluster: 'c1', writes: 1, downMs: 500 }),
    after(0, { do: 'label', cluster: 'c1', fleet: false, canary: false }),
  ],
};

// Runs one history of the third layer. `npm run simulate -- --layer 3` runs as many seeds as time allows.
describe('a history on a real API server, with two managers as processes', () => {
  let server: HubServer;
  beforeAll(async () => {
    server = await HubServer.start();
  });
  afterAll(() => server.stop());

  it('ends as its declarations ask, whatever fails, and leaves nothing on the server', async () => {
    const { violations } = await runProcesses(HISTORY, server);
    expect(violations).toEqual([]);
  });
});
