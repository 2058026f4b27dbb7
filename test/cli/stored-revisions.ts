import { addOnRollouts, rolloutPolicies } from '@outrigger/api';
import { expect } from 'vitest';
import type { PeopleWorld } from './people.js';
import { type Reader, Readers } from './readers.js';

const VIEWER: Reader = [{ role: 'outrigger:viewer' }];
const FLEET_ADMIN: Reader = [{ role: 'outrigger:fleet-admin' }];

/** A viewer reads the record of a target that has ended, the stored contents of revisions, and a plan back to an earlier revision. */
export async function viewerReadsStoredRevisions(world: PeopleWorld): Promise<void> {
  const { hub, eventually } = world;
  const readers = await Readers.create(world);
  const outrigger = (reader: Reader, line: string): ReturnType<Readers['type']> => readers.type(reader, 'outrigger', line.split(' '));
  await hub.create(rolloutPolicies, {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'recorded' },
    spec: { addOns: { names: ['hello'] } },
  });
  try {
    await eventually('the policy governs hello', async () =>
      (await hub.get(addOnRollouts, { name: 'hello' })).status?.policies?.includes('recorded') ? true : undefined,
    );
    await eventually('the fleet admin may upgrade', async () =>
      (await outrigger(FLEET_ADMIN, 'upgrade hello --to v2')).code === 0 ? true : undefined,
    );
    const change = await recordedUpgrade(world);
    await eventually('the viewer may read', async () => ((await outrigger(VIEWER, 'get addons')).code === 0 ? true : undefined));

    const history = await outrigger(VIEWER, `rollout history hello --revision ${change.to}`);
    expect(history).toMatchObject({ code: 0, out: expect.stringMatching(/cluster1 +Succeeded/) as string });
    const diff = await outrigger(VIEWER, `diff hello --revisions ${change.from}..${change.to}`);
    expect(diff).toMatchObject({ code: 5, out: expect.stringContaining('example.com/hello:v2') as string });
    expect(diff.note).not.toContain('you may not read');
    const plan = await outrigger(VIEWER, `plan hello --revision ${change.from}`);
    expect(plan).toMatchObject({ code: 0, out: expect.stringContaining('example.com/hello:v1') as string });
    expect(plan.out).not.toContain('your rights do not include');
  } finally {
    await hub.delete(rolloutPolicies, { name: 'recorded' });
    await readers.close();
  }
}

/** Waits until the upgrade to v2 has ended and its record is stored. Earlier tests may have created further revisions. */
async function recordedUpgrade({ hub, eventually }: PeopleWorld): Promise<{ readonly from: number; readonly to: number }> {
  let found: { readonly from: number; readonly to: number } | undefined;
  await eventually('the record of v2 is stored', async () => {
    const { status } = await hub.get(addOnRollouts, { name: 'hello' });
    const upgraded = status?.history?.find(({ version }) => version === 'v2')?.revision;
    const changes = (status?.entries ?? []).flatMap(({ timeline = [] }) => timeline);
    const change = changes.find(({ to, record }) => to === upgraded && record !== undefined);
    if (change?.from === undefined) return undefined;
    found = { from: change.from, to: change.to };
    return true;
  });
  return found as { readonly from: number; readonly to: number };
}
