import type { RolloutEntry, RolloutPolicySpec } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from './compile.js';
import { rolloutNotifications } from './notifications.js';

const AT = '2026-11-16T08:00:00Z';
const policy = (name: string, notify: RolloutPolicySpec['notify']) =>
  compilePolicy({
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name },
    spec: { addOns: { names: ['hello'] }, ...(notify ? { notify } : {}) },
  });
const entry = (rest: Partial<RolloutEntry> = {}): RolloutEntry => ({
  name: 'default/all',
  targetRevision: 2,
  completedRevision: 1,
  selected: 3,
  state: 'Progressing',
  message: 'm',
  ...rest,
});
/** The fields of an entry that was paused after too many clusters failed. */
const PAUSED: Partial<RolloutEntry> = { state: 'Paused', failed: 1, timeline: [{ at: AT, to: 2, outcome: 'Halted' }] };
const wait = { kind: 'Window', name: 'p/freeze', message: 'closed' } as const;
const rolledBack = { from: 2, to: 1, at: AT, reason: '2 clusters failed' };

describe('notifications of a rollout', () => {
  it.each<[string, RolloutEntry | undefined, RolloutEntry, readonly string[]]>([
    ['nothing changed', entry(), entry(), []],
    ['a gate begins to hold', entry(), entry({ waitingFor: [wait] }), ['Waiting 2 waits for p/freeze: closed']],
    ['a gate still holds', entry({ waitingFor: [wait] }), entry({ waitingFor: [{ ...wait, clusters: 9 }] }), []],
    ['halts', entry(), entry({ state: 'Halted' }), ['Halted 2 m']],
    ['is still halted', entry({ state: 'Halted' }), entry({ state: 'Halted' }), []],
    ['is paused while it is halted', entry({ state: 'Halted' }), entry(PAUSED), []],
    ['is resumed and still halted', entry(PAUSED), entry({ state: 'Halted', failed: 1 }), []],
    ['halts while it is paused', entry({ state: 'Paused' }), entry(PAUSED), ['Halted 2 m']],
    ['halts with the next target', entry({ state: 'Halted' }), entry({ state: 'Halted', targetRevision: 3 }), ['Halted 3 m']],
    [
      'goes back',
      entry(),
      entry({ targetRevision: 1, rolledBack }),
      ['RolledBack 2 goes back from revision 2 to 1: 2 clusters failed', 'Completed 1 m'],
    ],
    ['has gone back', entry({ targetRevision: 1, rolledBack }), entry({ targetRevision: 1, rolledBack }), []],
    ['completes', entry(), entry({ completedRevision: 2 }), ['Completed 2 m']],
    ['has completed', entry({ completedRevision: 2 }), entry({ completedRevision: 2 }), []],
    ['first record', undefined, entry({ completedRevision: 2 }), ['Completed 2 m']],
    ['no clusters', undefined, entry({ completedRevision: 2, selected: 0 }), []],
  ])('%s', (_, before, after, expected) => {
    const found = rolloutNotifications([policy('p', [{ url: 'chat' }])], 'hello', {
      before: before ? [before] : [],
      after: [after],
      at: AT,
    });
    expect(found.map(({ notification: one }) => `${one.event} ${one.revision} ${one.message}`)).toEqual(expected);
  });

  it('go to the addresses that ask for them, each once', () => {
    const policies = [
      policy('a', [{ url: 'chat' }, { url: 'pager', on: ['RolledBack'] }]),
      policy('b', [{ url: 'chat', on: ['Halted'] }]),
      policy('c', undefined),
    ];
    const [one, ...more] = rolloutNotifications(policies, 'hello', { before: [entry()], after: [entry({ state: 'Halted' })], at: AT });
    expect([one?.urls, more]).toEqual([['chat'], []]);
    expect(rolloutNotifications([policy('c', undefined)], 'hello', { before: [], after: [entry({ state: 'Halted' })], at: AT })).toEqual(
      [],
    );
  });
});
