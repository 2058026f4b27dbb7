import { type InstallConfigReference, addOnDeploymentConfigs, clusterManagementAddOns } from '@outrigger/api';
import { expect } from 'vitest';
import { eventually } from '../../world/eventually.js';
import { type FleetWorld, applyYaml, choose, join, playAgents } from './world.js';

const template = `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata:
  name: referring-v1
  labels:
    open-cluster-management.io/addon-version: v1
spec:
  addonName: referring
  agentSpec:
    workload:
      manifests:
      - apiVersion: v1
        kind: ConfigMap
        metadata: { name: referring, namespace: default }
        data: { value: '{{VALUE}}' }
`;

const config = (name: string, value: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnDeploymentConfig
metadata: { name: ${name}, namespace: default }
spec:
  customizedVariables: [{ name: VALUE, value: '${value}' }]
`;

const declaration = (name: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata: { name: referring }
spec:
  supportedConfigs:
  - { group: addon.open-cluster-management.io, resource: addontemplates, defaultConfig: { name: referring-v1 } }
  - { group: addon.open-cluster-management.io, resource: addondeploymentconfigs }
  installStrategy:
    type: Placements
    placements:
    - name: changing
      namespace: default
      configs:
      - { group: addon.open-cluster-management.io, resource: addondeploymentconfigs, namespace: default, name: ${name} }
`;

/**
 * The config reference in the declaration's status, as `desired applied good`: the name of each config. A prime (') after a name means that
 * the config has changed since it was created.
 */
interface Seen {
  readonly text: string;
  readonly reference: InstallConfigReference;
}

async function reference({ hub }: FleetWorld, firstHashes: ReadonlyMap<string, string>): Promise<Seen | undefined> {
  const { status } = await hub.get(clusterManagementAddOns, { name: 'referring' });
  const references = status?.installProgressions?.find(({ name }) => name === 'changing')?.configReferences ?? [];
  const found = references.find(({ resource }) => resource === addOnDeploymentConfigs.plural);
  if (!found) return undefined;
  const brief = (part: InstallConfigReference['desiredConfig']): string => {
    if (!part) return '-';
    const first = firstHashes.get(part.name);
    return first === undefined || first === part.specHash ? part.name : `${part.name}'`;
  };
  return { text: [found.desiredConfig, found.lastAppliedConfig, found.lastKnownGoodConfig].map(brief).join(' '), reference: found };
}

/**
 * Checks how the status of the declaration shows a config reference during rollouts. If the config changes, the hub keeps lastAppliedConfig
 * and lastKnownGoodConfig. If the reference names another config, the hub clears both fields. When the rollout has succeeded, the hub sets
 * both fields.
 */
export async function showsChangedReferences(world: FleetWorld): Promise<void> {
  const hashes = new Map<string, string>();
  const shows = (want: string, meanwhile: () => Promise<unknown> = async () => undefined): Promise<Seen> =>
    eventually(
      world,
      `the reference shows ${want}`,
      async () => {
        await meanwhile();
        const seen = await reference(world, hashes);
        return seen?.text === want ? seen : undefined;
      },
      () => reference(world, hashes),
    );
  const rolledOut = (want: string): Promise<Seen> => shows(want, () => playAgents(world));
  await join(world, 'ref1');
  await choose(world, 'changing', ['ref1']);
  for (const text of [template, config('one', 'a'), config('other', 'z'), declaration('one')]) await applyYaml(world, text);

  const first = await shows('one - -');
  hashes.set('one', first.reference.desiredConfig?.specHash ?? '');
  await rolledOut('one one one');

  await applyYaml(world, config('one', 'b'));
  await shows("one' one one");
  const good = await rolledOut("one' one' one'");
  expect(good.reference.lastKnownGoodConfig?.specHash).not.toBe(hashes.get('one'));

  await applyYaml(world, declaration('other'));
  const emptied = await shows('other - -');
  expect(emptied.reference).not.toHaveProperty('lastAppliedConfig');
  await rolledOut('other other other');
}
