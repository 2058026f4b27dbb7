import type { RolloutEntry, RolloutWait } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { activityItems } from './activity.js';
import { gatesOf } from './gates.js';
import { SEES_ALL } from './sight.js';

const wait = (fields: Partial<RolloutWait>): RolloutWait => ({ kind: 'Approval', name: 'careful/go', ...fields });
const entry = (fields: Partial<RolloutEntry>): RolloutEntry => ({ name: 'default/all', targetRevision: 7, ...fields });

describe('the gates of an entry', () => {
  it.each<[string, Partial<RolloutEntry>, readonly string[]]>([
    [
      'an approval',
      { waitingFor: [wait({ message: 'needs 1 approval' })] },
      [
        'outrigger rollout approve hello --gate careful/go --entry default/all',
        'outrigger rollout reject hello --gate careful/go --entry default/all',
      ],
    ],
    [
      'an approval of a group',
      { waitingFor: [wait({ group: 'it’s production' })] },
      [
        "outrigger rollout approve hello --gate careful/go --group 'it’s production' --entry default/all",
        "outrigger rollout reject hello --gate careful/go --group 'it’s production' --entry default/all",
      ],
    ],
    ['a window', { waitingFor: [wait({ kind: 'Window' })] }, ['outrigger rollout override hello --gate careful/go --entry default/all']],
    [
      'an analysis',
      { waitingFor: [wait({ kind: 'Analysis' })] },
      ['outrigger rollout override hello --gate careful/go --entry default/all'],
    ],
    [
      'a rejection by a user',
      { waitingFor: [wait({ message: 'rejected by bob' })] },
      ['outrigger rollout retry hello --gate careful/go --entry default/all'],
    ],
    [
      'rejected content',
      { rejected: [{ digest: 'd', revision: 6, gate: 'careful/onFailure', reason: 'failed', at: '2026-11-16T03:00:00Z' }] },
      ['outrigger rollout retry hello --gate careful/onFailure --entry default/all'],
    ],
    ['a gate that opens by itself', { waitingFor: [wait({ loosened: true })] }, []],
    ['policies that are not readable', { waitingFor: [wait({ kind: 'Policies', name: 'policies' })] }, []],
  ])('%s offers its decisions, with the equivalent commands', (_, fields, commands) => {
    const [gate] = gatesOf(SEES_ALL, 'hello', entry(fields));
    expect(gate?.isOpen).toBe(false);
    expect(gate?.actions.map(({ command }) => command)).toEqual(commands);
    expect(gatesOf({ ...SEES_ALL, mayDecide: false }, 'hello', entry(fields)).flatMap(({ actions }) => actions)).toEqual([]);
  });

  it('a gate that a user rejected is one gate that only offers the retry, although the record also has its missing approval', () => {
    const waitingFor = [
      wait({ message: 'rejected by bob: too early' }),
      wait({ message: 'needs 1 approval' }),
      wait({ kind: 'Window', name: 'careful/freeze' }),
    ];
    const gates = gatesOf(SEES_ALL, 'hello', entry({ waitingFor }));
    expect(gates.map(({ name, actions }) => [name, actions.map(({ label }) => label)])).toEqual([
      ['careful/go', ['Retry']],
      ['careful/freeze', ['Override']],
    ]);
  });

  it('measurements of other revisions are not shown, as in `rollout status`', () => {
    const analysis = [
      { name: 'careful/errors', revision: 6, passed: 2, result: 'Pass' },
      { name: 'careful/errors', group: 'eu', revision: 6, failed: 1, result: 'Fail' },
    ] as const;
    const waitingFor = [{ kind: 'Analysis', name: 'careful/errors', group: 'eu', since: '2026-11-16T03:00:00Z', clusters: 2 }] as const;
    const gates = gatesOf(SEES_ALL, 'hello', entry({ targetRevision: 7, waitingFor, analysis }));
    expect(gates.map(({ name, group, measurements }) => [name, group, measurements])).toEqual([['careful/errors', 'eu', undefined]]);
  });

  it('a gate with some approvals is shown once, as closed', () => {
    const waitingFor = [{ kind: 'Approval', name: 'careful/go', since: '2026-11-16T03:00:00Z', clusters: 2 }] as const;
    const openedGates = [{ name: 'careful/go', revision: 7, clusters: 2, closed: true }];
    expect(gatesOf(SEES_ALL, 'hello', entry({ waitingFor, openedGates }))).toMatchObject([{ name: 'careful/go', isOpen: false }]);
  });

  it('open gates and measurements are shown beside the closed ones', () => {
    const gates = gatesOf(
      SEES_ALL,
      'hello',
      entry({
        openedGates: [{ name: 'careful/start', revision: 7, clusters: 1 }],
        analysis: [{ name: 'careful/errors', revision: 7, passed: 2, failed: 1, result: 'Pass' }],
      }),
    );
    expect(gates).toMatchObject([
      { type: 'Analysis', isOpen: true, measurements: { passed: 2, failed: 1, inconclusive: 0 } },
      { type: 'Approval', isOpen: true, message: 'approved for revision 7 and 1 cluster', policy: { name: 'careful' } },
    ]);
  });
});

describe('the activity', () => {
  it('has the decisions of users, for those who may read RolloutApprovals', () => {
    const state = new ConsoleState();
    const spec = {
      addOn: 'hello',
      entry: 'default/all',
      revision: 7,
      gate: 'careful/go',
      decision: 'Rejected',
      comment: 'too early',
      by: 'bob',
    };
    const approval = {
      apiVersion: 'a/v1',
      kind: 'RolloutApproval',
      metadata: { name: 'x', creationTimestamp: '2026-11-16T03:00:00Z' },
      spec,
    };
    state.setApproval(approval, 'x');
    expect(activityItems(state, SEES_ALL, {})).toMatchObject([
      { reason: 'RevisionRejected', by: 'bob', message: 'bob rejected careful/go for revision 7 of default/all: too early' },
    ]);
    expect(activityItems(state, { ...SEES_ALL, seesApprovals: false }, {})).toEqual([]);
  });
});
