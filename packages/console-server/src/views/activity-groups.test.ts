import type { ActivityItem } from '@outrigger/console-contract';
import { describe, expect, it } from 'vitest';
import { groupActivity } from './activity-groups.js';

function item(seconds: number, fields: Partial<ActivityItem>): ActivityItem {
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, 0) + seconds * 1_000).toISOString();
  return {
    id: `${seconds} ${fields.cluster}`,
    at,
    type: 'Normal',
    reason: 'Installed',
    message: 'version v1',
    by: 'hub',
    count: 1,
    ...fields,
  };
}

describe('groupActivity', () => {
  it('combines the same event of an add-on on several clusters, also if another add-on is between', () => {
    const items = [item(9, { addOn: 'a', cluster: 'c2' }), item(8, { addOn: 'b', cluster: 'c1' }), item(7, { addOn: 'a', cluster: 'c1' })];
    expect(groupActivity(items).map(({ item: { addOn }, clusters }) => [addOn, clusters])).toEqual([
      ['a', ['c2', 'c1']],
      ['b', ['c1']],
    ]);
  });

  it('ignores the name of the cluster in the message', () => {
    const items = ['c2', 'c1'].map((cluster) => item(1, { addOn: 'a', cluster, message: `pod of ${cluster} fails` }));
    expect(groupActivity(items)).toHaveLength(1);
  });

  it('combines events that were repeated equally often', () => {
    const items = ['c2', 'c1'].map((cluster) => item(1, { addOn: 'a', cluster, count: 2 }));
    expect(groupActivity(items)).toMatchObject([{ item: { count: 2 }, clusters: ['c2', 'c1'] }]);
  });

  it.each([
    ['another reason', { reason: 'Upgraded' }],
    ['another message', { message: 'version v2' }],
    ['another add-on', { addOn: 'b' }],
    ['a warning', { type: 'Warning' as const }],
    ['another actor', { by: 'agent' }],
    ['an event that was repeated', { count: 3 }],
    ['the same cluster again', { cluster: 'c2' }],
    ['an event of no cluster', { cluster: undefined }],
  ])('keeps %s apart', (_, fields) => {
    const other = { ...item(1, { addOn: 'a', cluster: 'c1' }), ...fields } as ActivityItem;
    expect(groupActivity([item(2, { addOn: 'a', cluster: 'c2' }), other])).toHaveLength(2);
  });

  it('keeps events apart that are more than a minute apart', () => {
    const items = [item(200, { addOn: 'a', cluster: 'c2' }), item(100, { addOn: 'a', cluster: 'c1' })];
    expect(groupActivity(items)).toHaveLength(2);
  });
});
