import { type RolloutWait, addOnRollouts, controllerRevisions, namespaces, rolloutApprovals, rolloutPolicies } from '@outrigger/api';
import { installSamples } from '@outrigger/cli';
import type { JsonObject } from '@outrigger/core';
import { type TargetRecord, targetRecordObject } from '@outrigger/rules/rollout';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CliWorld, type Ran, startCliWorld } from './world.js';

const START = { kind: 'Approval', name: 'careful/go', clusters: 2, message: 'needs 1 approval before the rollout' } as const;
const PRODUCTION = { ...START, group: 'production', message: 'needs 1 approval before group production' } as const;
const FREEZE = {
  kind: 'Window',
  name: 'careful/freeze',
  clusters: 2,
  message: 'closed for 2 clusters',
  until: '2099-01-01T00:00:00Z',
} as const;
const REJECTED = { ...START, message: 'rejected by bob: errors' } as const;
const VANISHING = { ...START, loosened: true } as const;

const BY_ITSELF = 'its clusters continue by themselves once the cause is fixed: `outrigger why lonely` names it';

/** The tests write the gates that an entry waits for into an AddOnRollout that no manager changes. */
describe('decisions about gates', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(1);
    await installSamples(world.fleet.hub);
    await world.fleet.hub.create(rolloutPolicies, {
      apiVersion: 'outrigger.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: { name: 'careful' },
      spec: {
        addOns: { names: ['other'] },
        windows: [{ name: 'freeze', effect: 'Deny', from: '2026-01-01T00:00', until: '2099-01-01T00:00' }],
        approvals: [
          { name: 'go', before: 'Rollout' },
          { name: 'groups', before: 'Group' },
        ],
      },
    });
    await world.fleet.hub.create(addOnRollouts, {
      apiVersion: 'outrigger.dev/v1alpha1',
      kind: 'AddOnRollout',
      metadata: { name: 'lonely' },
      spec: {},
    });
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    const { hub } = world.fleet;
    for (const { metadata } of (await hub.list(rolloutApprovals)).items) await hub.delete(rolloutApprovals, { name: metadata.name ?? '' });
  });

  async function run(waits: readonly RolloutWait[], ...args: readonly string[]): Promise<Ran> {
    const entries = ['default/all', 'default/other'].map((name, i) => ({
      name,
      targetRevision: 7 + i,
      selected: 2,
      ...(i === 0 ? { waitingFor: waits } : {}),
    }));
    const patch = { status: { formatVersion: 1, entries } } as unknown as JsonObject;
    await world.fleet.hub.patch(addOnRollouts, { name: 'lonely' }, { type: 'merge', patch }, { subresource: 'status' });
    return world.outrigger(...args);
  }
  const written = async (): Promise<readonly unknown[]> => (await world.fleet.hub.list(rolloutApprovals)).items.map(({ spec }) => spec);

  it.each<[string, readonly RolloutWait[], readonly string[], object]>([
    ['the only gate', [START], ['approve', 'lonely'], { gate: 'careful/go', decision: 'Approved', entry: 'default/all', revision: 7 }],
    ['a gate by its short name', [START, FREEZE], ['approve', 'lonely', '--gate', 'go'], { gate: 'careful/go', decision: 'Approved' }],
    [
      'the gate of a group',
      [PRODUCTION],
      ['reject', 'lonely', '-m', 'too early'],
      { group: 'production', decision: 'Rejected', comment: 'too early' },
    ],
    ['a window', [START, FREEZE], ['override', 'lonely', '-m', 'fix'], { gate: 'careful/freeze', decision: 'Overridden', comment: 'fix' }],
    ['a rejection', [REJECTED], ['retry', 'lonely'], { gate: 'careful/go', decision: 'Retried' }],
    [
      'a gate ahead of time',
      [],
      ['approve', 'lonely', '--gate', 'careful/go', '--entry', 'default/other'],
      { entry: 'default/other', revision: 8 },
    ],
    [
      'a group ahead of time',
      [],
      ['approve', 'lonely', '--gate', 'careful/groups', '--group', 'x', '--entry', 'default/all'],
      { group: 'x' },
    ],
  ])('%s', async (_, waits, args, want) => {
    expect(await run(waits, 'rollout', ...args)).toMatchObject({ code: 0, note: '' });
    expect(await written()).toEqual([expect.objectContaining({ addOn: 'lonely', by: 'kubernetes-admin', ...want })]);
  });

  it.each<[string, readonly RolloutWait[], readonly string[], number, string]>([
    ['nothing waits', [], ['approve', 'lonely'], 1, 'no gate waits for an approval'],
    ['a gate that vanishes cannot be approved', [VANISHING], ['approve', 'lonely'], 1, 'no gate waits for an approval'],
    ['an unknown gate', [START], ['approve', 'lonely', '--gate', 'careful/nope'], 1, 'no gate careful/nope waits'],
    ['two gates', [START, { ...START, name: 'q/go' }], ['approve', 'lonely'], 2, 'outrigger rollout approve lonely --gate q/go'],
    ['a group that is not named', [], ['approve', 'lonely', '--gate', 'careful/groups'], 2, 'name one with --group'],
    ['an override without a reason', [FREEZE], ['override', 'lonely'], 2, 'an override needs a reason'],
    ['an override that is too long', [FREEZE], ['override', 'lonely', '-m', 'x', '--for', '25h'], 2, 'at most 24h'],
    ['an unknown entry', [START], ['approve', 'lonely', '--entry', 'nope'], 3, 'has no entry nope'],
    ['nothing rejected', [START], ['retry', 'lonely'], 1, 'nothing is rejected'],
    ['an unknown add-on', [START], ['approve', 'nope'], 3, 'nope'],
  ])('refuses: %s', async (_, waits, args, code, note) => {
    expect(await run(waits, 'rollout', ...args)).toMatchObject({ code, note: expect.stringContaining(note) as string });
    expect(await written()).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['halted', { state: 'Halted', failed: 1 }, BY_ITSELF],
    ['halted without failures, by a problem', { state: 'Halted', message: 'no such revision' }, BY_ITSELF],
    [
      'halted, then paused',
      { state: 'Paused', failed: 1, timeline: [{ at: '2026-11-16T10:00:00Z', to: 7, outcome: 'Halted' }] },
      BY_ITSELF,
    ],
    [
      'halted by an analysis',
      { state: 'Halted', waitingFor: [{ kind: 'Analysis', name: 'careful/errors', clusters: 2 }] },
      '`outrigger rollout status lonely` shows what it waits for',
    ],
    ['not halted', { state: 'Progressing', failed: 1 }, '`outrigger rollout status lonely` shows what it waits for'],
  ])('a retry without a rejection says how a rollout continues that is %s', async (_, entry, note) => {
    const status = { formatVersion: 1, entries: [{ name: 'default/all', targetRevision: 7, selected: 2, ...entry }] };
    const patch = { status } as unknown as JsonObject;
    await world.fleet.hub.patch(addOnRollouts, { name: 'lonely' }, { type: 'merge', patch }, { subresource: 'status' });
    const ran = await world.outrigger('rollout', 'retry', 'lonely');
    expect(ran).toMatchObject({ code: 1, note: expect.stringContaining(note) as string });
    expect(ran.note).toContain('nothing is rejected');
    expect(await written()).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['by clusters', { failed: 2 }, 'the rollout of lonely is halted: 2 clusters failed: '],
    [
      'by an analysis',
      { message: 'selected 2, done 0, progressing 0, failed 0, skipped 0; 2 measurements were inconclusive' },
      'the rollout of lonely is halted: 2 measurements were inconclusive: ',
    ],
  ])('status names what halted it: %s', async (_, entry, note) => {
    const entries = [{ name: 'default/all', targetRevision: 7, selected: 2, state: 'Halted', ...entry }];
    const patch = { status: { formatVersion: 1, state: 'Halted', failed: 0, ...entry, entries } } as unknown as JsonObject;
    await world.fleet.hub.patch(addOnRollouts, { name: 'lonely' }, { type: 'merge', patch }, { subresource: 'status' });
    expect(await world.outrigger('rollout', 'status', 'lonely')).toMatchObject({ code: 5, note: expect.stringContaining(note) as string });
  });

  it('status shows removals that a window holds, with the command that opens it', async () => {
    const held = { ...FREEZE, operation: 'Remove', clusters: 1, message: 'no removal from 1 cluster until 2099-01-01T00:00:00Z' } as const;
    const { out } = await run([held], 'rollout', 'status', 'lonely');
    expect(out).toContain(
      'default/all: waits for window careful/freeze: no removal from 1 cluster until 2099-01-01T00:00:00Z; `outrigger rollout override lonely --gate careful/freeze',
    );
  });

  it('history shows how each cluster came to a revision', async () => {
    const { hub } = world.fleet;
    const [startedAt, endedAt] = ['2026-11-16T10:00:00Z', '2026-11-16T10:05:00Z'];
    const record: TargetRecord = {
      addOn: 'lonely',
      entry: 'default/all',
      revision: 7,
      startedAt,
      endedAt,
      outcome: 'Halted',
      clusters: [
        { cluster: 'c1', outcome: 'Failed', admittedAt: '2026-11-16T10:01:00Z', seconds: 60 },
        { cluster: 'c2', outcome: 'Succeeded', admittedAt: startedAt, seconds: 31 },
        { cluster: 'c3', outcome: 'Waiting' },
      ],
      omitted: 0,
    };
    const owner = {
      apiVersion: 'v1',
      kind: 'Namespace',
      name: 'default',
      uid: (await hub.get(namespaces, { name: 'default' })).metadata.uid ?? '',
    };
    const object = targetRecordObject(record, 'default', owner);
    await hub.create(controllerRevisions, object);
    const timeline = [
      { at: startedAt, to: 7, outcome: 'Halted', endedAt, record: object.metadata.name },
      { at: startedAt, to: 6 },
    ];
    const history = [7, 6].map((revision) => ({ revision, digest: `d${revision}` }));
    const patch = { status: { entries: [{ name: 'default/all', targetRevision: 7, timeline }], history } } as unknown as JsonObject;
    await hub.patch(addOnRollouts, { name: 'lonely' }, { type: 'merge', patch }, { subresource: 'status' });
    const { out, code } = await world.outrigger('rollout', 'history', 'lonely', '--revision', '7');
    expect([code, out]).toEqual([
      0,
      `default/all: revision 7, Halted, ${startedAt} to ${endedAt}
CLUSTER   OUTCOME     ADMITTED               TOOK
c2        Succeeded   2026-11-16T10:00:00Z   31s
c1        Failed      2026-11-16T10:01:00Z   60s
c3        Waiting     -                      -
`,
    ]);
    const json = await world.outrigger('rollout', 'history', 'lonely', '--revision', '7', '-o', 'json');
    expect(JSON.parse(json.out)).toEqual([record]);
    expect(await world.outrigger('rollout', 'history', 'lonely', '--revision', '6')).toMatchObject({
      code: 1,
      note: expect.stringContaining('the manager stores one when a target ends while a RolloutPolicy governs the add-on') as string,
    });
    await hub.delete(controllerRevisions, { namespace: 'default', name: object.metadata.name ?? '' });
  });

  it('status shows each gate with the command that opens it', async () => {
    const { out } = await run([PRODUCTION, FREEZE, REJECTED, VANISHING], 'rollout', 'status', 'lonely');
    expect(out).toContain('`outrigger rollout approve lonely --gate careful/go --group production`');
    expect(out).toContain('`outrigger rollout override lonely --gate careful/freeze` with -m and the reason');
    expect(out).toContain('(until 2099-01-01T00:00:00Z)');
    expect(out).toContain('`outrigger rollout retry lonely --gate careful/go`');
    expect(out.match(/outrigger rollout/g)).toHaveLength(3);
  });

  it('get policies lists gates, add-ons and the clusters they hold', async () => {
    const { out } = await run([FREEZE], 'get', 'policies', '-o', 'wide');
    expect(out).toMatch(/^NAME\s+ADD-ONS\s+WINDOWS\s+APPROVALS\s+ANALYSIS\s+HOLDS\s+AGE\ncareful\s+.*freeze\s+go, groups\s+.*lonely\s/);
    expect((await world.outrigger('get', 'rp', 'careful', '-o', 'name')).out).toBe('rolloutpolicy.outrigger.dev/careful\n');
  });
});
