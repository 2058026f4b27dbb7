import { expect } from 'vitest';
import { LABELS, type ReplicaSetStory, SOAK_MS } from './scenario.js';

export function expectReplicaSetStory(story: ReplicaSetStory): void {
  expect(story.steps).toEqual([
    'c000=one',
    'c000=one c001=one',
    'c000=one c001=one c002=one',
    'c000=two c001=one c002=one',
    'c000=two c001=two c002=one',
    'c000=two c001=two c002=two',
  ]);
  expect(story.names).toEqual([expect.stringMatching(/^web-[0-9a-f]{8}$/)]);
  expect(story.labels).toEqual(LABELS);
  const summary = { total: 3, desiredTotal: 3, updated: 3, applied: 3, available: 3, progressing: 0, degraded: 0 };
  expect(story.completed?.summary).toEqual(summary);
  expect(story.completed?.placementSummary).toEqual([{ name: 'p', availableDecisionGroups: '1 (3 / 3 clusters applied)', summary }]);
  expect(story.completed?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort()).toEqual([
    'ManifestworkApplied True AsExpected',
    'PlacementRolledOut True Complete',
    'PlacementVerified True AsExpected',
  ]);
  expect(story.afterShrinking.split(' ')).toHaveLength(2);
  expect(story.worksLeft).toBe(0);
}

/**
 * Checks the soaks under a manager that does not restart. A restarted manager would use the times in the works that succeeded before its
 * start.
 */
export function expectWholeSoaks({ soaks }: ReplicaSetStory): void {
  expect(soaks).toHaveLength(2);
  expect(
    soaks.filter((ms) => ms < SOAK_MS),
    'the times that agents write do not shorten the soak',
  ).toEqual([]);
}
