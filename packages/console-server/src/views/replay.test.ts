import type { ControllerRevision } from '@outrigger/api';
import { ApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { CLUSTER_OUTCOMES, type TargetRecord, targetRecordObject } from '@outrigger/rules/rollout';
import { describe, expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { readRecord, replayPage } from './replay.js';
import { SEES_ALL } from './sight.js';

const OWNER = { apiVersion: 'v1', kind: 'ClusterManagementAddOn', name: 'hello', uid: 'u' };
const RECORD: TargetRecord = {
  addOn: 'hello',
  entry: 'default/all',
  revision: 2,
  startedAt: '2026-11-16T10:00:00Z',
  endedAt: '2026-11-16T11:00:00Z',
  outcome: 'Halted',
  clusters: CLUSTER_OUTCOMES.map((outcome, index) => ({
    cluster: `c${index}`,
    outcome,
    ...(outcome === 'Waiting' || outcome === 'Skipped' ? {} : { admittedAt: `2026-11-16T10:0${index}:00Z`, seconds: 60 }),
  })),
  omitted: 3,
};

const hub = (answer: readonly ControllerRevision[] | Error): Client =>
  ({
    async *listAll() {
      if (answer instanceof Error) throw answer;
      yield* answer;
    },
  }) as unknown as Client;

describe('the replay of a stored target record', () => {
  it('has each outcome with its recorded times', async () => {
    const record = await readRecord(hub([targetRecordObject(RECORD, 'hub', OWNER)]), 'hello', 'any');
    const { groups, omitted } = replayPage(new ConsoleState(), SEES_ALL, record, 0);
    const shown = groups.flatMap(({ clusters }) => clusters.map(({ phase, admittedAt, endedAt }) => [phase, admittedAt, endedAt]));
    const at = (minute: number): string => `2026-11-16T10:0${minute}:00Z`;
    expect(shown).toEqual([
      ['done', at(0), at(1)],
      ['failed', at(1), at(2)],
      ['inFlight', at(2), undefined],
      ['parked', at(3), undefined],
      ['skipped', undefined, undefined],
      ['waiting', undefined, undefined],
      ['skipped', at(6), at(7)],
    ]);
    expect(omitted).toBe(3);
  });

  it('has only the clusters that the user may see, and no number of others', () => {
    const sight = { ...SEES_ALL, seesAddOns: (cluster: string) => cluster === 'c1' };
    const page = replayPage(new ConsoleState(), sight, RECORD, 0);
    expect(page.groups.flatMap(({ clusters }) => clusters.map(({ name }) => name))).toEqual(['c1']);
    expect(page.omitted).toBe(0);
  });

  it.each([
    ['forbidden', new ApiError('Forbidden', 'no'), 'this needs the right to list controllerrevisions'],
    ['not-found', [], 'is gone'],
    ['not-found', [{ ...targetRecordObject({ ...RECORD, addOn: 'other' }, 'hub', OWNER) }], 'is gone'],
  ] as const)('is %s if the hub answers %s', async (code, answer, message) => {
    await expect(readRecord(hub(answer as readonly ControllerRevision[] | Error), 'hello', 'r')).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });
});
