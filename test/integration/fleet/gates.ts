import { addOnRollouts, rolloutPolicies } from '@outrigger/api';
import { expect } from 'vitest';
import { eventually } from '../../world/eventually.js';
import { arrivedAt, declaration, entry, startFleet } from './safety.js';
import { type FleetWorld, addOnOf, applyYaml, choose } from './world.js';

const POLICY = `
apiVersion: outrigger.dev/v1alpha1
kind: RolloutPolicy
metadata: { name: calm }
spec:
  addOns: { names: [helloworld] }
  windows:
  - { name: freeze, effect: Deny, from: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z', clusters: { matchLabels: { stage: prod } } }
  approvals:
  - { name: settle, before: Rollout, wait: 2s }
`;

/** A gate that opens automatically holds the start of the rollout, and a window holds one cluster. A rollback is not held. */
export async function gatesHoldAnUpgrade(world: FleetWorld): Promise<void> {
  const clusters = ['calm1', 'calm2'];
  await startFleet(world, clusters, { calm2: { stage: 'prod' } });
  await choose(world, 'calm', clusters);
  await applyYaml(world, declaration(entry('calm', 'v1')));
  await arrivedAt(world, 'v1', clusters);
  await applyYaml(world, POLICY);
  await eventually(world, 'the record names the policy', async () => {
    const { status } = await world.hub.get(addOnRollouts, { name: 'helloworld' });
    return status?.policies?.join() === 'calm' && status.formatVersion === 2 ? true : undefined;
  });

  await applyYaml(world, declaration(entry('calm', 'v2')));
  await arrivedAt(world, 'v2', ['calm1']);
  const { status } = await world.hub.get(addOnRollouts, { name: 'helloworld' });
  expect(status?.entries?.find(({ name }) => name === 'default/calm')).toMatchObject({
    inFlight: [{ cluster: '*', except: ['calm2'] }],
    openedGates: [{ name: 'calm/settle', byTime: true }],
    waitingFor: [{ kind: 'Window', name: 'calm/freeze', clusters: 1 }],
  });
  expect((await addOnOf(world, 'calm2'))?.status?.currentVersion).toBe('v1');

  await world.hub.patch(addOnRollouts, { name: 'helloworld' }, { type: 'merge', patch: { spec: { pinnedRevision: 1 } } });
  await arrivedAt(world, 'v1', clusters);
  await world.hub.delete(rolloutPolicies, { name: 'calm' });
}
