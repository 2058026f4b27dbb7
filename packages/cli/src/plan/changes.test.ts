import type { AddOnRollout } from '@outrigger/api';
import type { HubListing } from '@outrigger/hub/planner';
import { expect, it } from 'vitest';
import { rollout } from '../../../rules/src/why/fixtures.js';
import { newAddOns, pinRemoval, revisionChange, rollbackChange } from './changes.js';

const change = (to: number, outcome: 'Completed' | 'Halted') => ({ at: '2026-01-01T00:00:00Z', to, outcome });
const HISTORY = [3, 2, 1].map((revision) => ({ revision, digest: `d${revision}` }));
const TIMELINE = [change(3, 'Completed'), change(2, 'Halted'), change(1, 'Completed')];

/** Returns the objects that a plan reads from a hub with this rollout. */
function listing(one: AddOnRollout): HubListing {
  const managementAddOn = { kind: 'ClusterManagementAddOn', metadata: { name: 'hello' }, spec: {} };
  const objects = [
    [{ kind: { kind: 'ClusterManagementAddOn' } }, [managementAddOn]],
    [{ kind: { kind: 'AddOnRollout' } }, [one]],
  ];
  return { objects: new Map(objects as never) } as unknown as HubListing;
}

const hub = listing(
  rollout('hello', {}, { entries: [{ name: 'all', selected: 2, targetRevision: 3, timeline: TIMELINE }], history: HISTORY }),
);
const refusal = {
  problem:
    'revision 2 of hello failed or was rolled back in all and has not completed there since: nothing was changed; ' +
    '`outrigger rollback hello` goes to the latest that completed, --yes rolls this one out again',
};
const pinned = (revision: number): object => ({ objects: [{ spec: { pinnedRevision: revision } }] });

it.each([
  ['rollback --to-revision to one that failed is refused', rollbackChange('hello', { toRevision: 2 }), refusal],
  ['rollback --yes restores it', rollbackChange('hello', { toRevision: 2, yes: true }), pinned(2)],
  ['rollback to one that completed is possible', rollbackChange('hello', {}), pinned(1)],
  ['a plan of a named revision is possible', revisionChange('hello', 2), pinned(2)],
])('AT-62 %s', (_, planned, want) => {
  expect(planned(hub)).toMatchObject(want);
});

it.each([
  ['enable with a version that no template offers', newAddOns('hello', [], { installVersion: 'v9' }), 'add-on "hello" has no version "v9"'],
  ['rollback --clear of an entry that does not exist', pinRemoval('hello', 'nope'), 'the rollout of hello has no entry "nope"'],
])('%s is an obstacle', (_, planned, problem) => {
  expect(planned(hub)).toEqual({ problem: expect.stringContaining(problem) as string });
});

it.each([undefined, 'all'])('rollback --clear of %s changes nothing if there is no pin', (entry) => {
  expect(pinRemoval('hello', entry)(hub)).toEqual({ objects: [] });
});
