import {
  type AddOnRollout,
  type ClusterManagementAddOn,
  EVERY_CLUSTER,
  type InFlightCluster,
  type ManagedClusterAddOn,
  type RolloutEntry,
} from '@outrigger/api';
import { findCondition, shell, nameOf } from '@outrigger/core';
import { exceptionTest } from '../revisions/assigned.js';
import { projectAddOn } from '../observed/add-ons.js';
import { isUserOwned } from '../strategy/field-owners.js';
import { pinOf } from '../rollout/targets/pins.js';
import { membershipOf } from '../strategy/membership.js';
import { type Snapshot, snapshotIndex, snapshotLookups } from './snapshot.js';
import { type Link, note, ofRollout, ok, stop, wait } from '../explanation/chain.js';
import { isHalted } from '../policy/halted.js';
import { haltedText, resumeCommand, rollbackCommand } from './rollout-state.js';

/**
 * Explains the rollout for one cluster: whether the cluster is admitted, and if not, why it waits. Adds a note if the rollout is pinned to
 * a revision.
 */
export function explainRollout(
  rollout: AddOnRollout | undefined,
  clusterAddOn: ManagedClusterAddOn,
  entry: RolloutEntry | undefined,
): readonly Link[] {
  if (!rollout?.status || !entry) return [];
  const pin = pinOf(rollout.spec, entry.name);
  const name = nameOf(rollout);
  const beside =
    pin === undefined
      ? []
      : pin.field === 'pinnedRevision'
        ? [note(`every cluster is pinned at revision ${pin.revision}`, shell`outrigger rollback ${name} --clear`)]
        : [
            note(
              `the clusters of ${entry.name} are pinned at revision ${pin.revision}`,
              shell`outrigger rollback ${name} --clear --placement ${entry.name}`,
            ),
          ];
  const target = (rollout.status.history ?? []).find(({ revision }) => revision === entry.targetRevision);
  const what = `revision ${entry.targetRevision ?? '?'}${target?.version ? ` (${target.version})` : ''}`;
  const own = clusterAddOn.metadata.namespace ?? '';
  const covers = (one: InFlightCluster): boolean => one.cluster === own || (one.cluster === EVERY_CLUSTER && !exceptionTest(one)(own));
  const flight = (entry.inFlight ?? []).find(covers);
  if (flight?.parkedSince !== undefined)
    return [...beside, wait(`admitted to ${what}, but its cluster is not available since ${flight.parkedSince}`)];
  if (flight) return [...beside, ok(`admitted to ${what}`)];
  if (!isWaiting(clusterAddOn)) return [...beside, ...rejectedLinks(name, entry)];
  return [...beside, waitingLink(rollout, entry, what)];
}

/** Returns links about content that the entry does not move to because an automatic rollback rejected it. */
function rejectedLinks(name: string, { rolledBack, rejected = [] }: RolloutEntry): readonly Link[] {
  const rejection = rejected.find(({ revision }) => revision === rolledBack?.from) ?? rejected[0];
  if (!rejection) return [];
  const command =
    rejection.gate === undefined
      ? shell`outrigger rollout status ${name}`
      : shell`outrigger rollout retry ${name} --gate ${rejection.gate}`;
  const what = rejection.revision === undefined ? 'content' : `revision ${rejection.revision}`;
  const back = rolledBack ? `; the rollout went back to revision ${rolledBack.to}` : '';
  return [note(`${what} is rejected: ${rejection.reason}${back}`, command)];
}

function waitingLink(rollout: AddOnRollout, entry: RolloutEntry, what: string): Link {
  const name = nameOf(rollout);
  if (isHalted(entry)) {
    const back = rollbackCommand(rollout);
    return ofRollout(
      stop(
        `the rollout to ${what} ${haltedText(entry)}`,
        `${shell`outrigger why ${name}`} names the causes; fix them${back === undefined ? '' : `, or \`${back}\``}`,
      ),
    );
  }
  if (rollout.spec?.paused || entry.state === 'Paused') return ofRollout(stop(`the rollout to ${what} is paused`, resumeCommand(rollout)));
  const gate = entry.waitingFor?.find(({ operation }) => operation !== 'Remove');
  if (gate)
    return wait(
      `not admitted to ${what}: the rollout waits for ${gate.name}${gate.message === undefined ? '' : ` (${gate.message})`}`,
      shell`outrigger rollout status ${name}`,
    );
  return wait(
    `waiting for its turn to go to ${what}: done ${entry.done ?? 0} of ${entry.selected ?? 0}, in flight ${entry.progressing ?? 0}`,
  );
}

/** Returns notes about the version and the configs that a user set on the cluster, because rollouts of the fleet do not change them. */
export function overrideLinks(installed: ManagedClusterAddOn): readonly Link[] {
  const { metadata, spec } = installed;
  const projection = projectAddOn(installed, (value) => value);
  const clear = shell`outrigger upgrade ${nameOf(installed)} --cluster ${metadata.namespace} --clear`;
  return [
    ...(spec.installVersion !== undefined && isUserOwned(projection, 'installVersion')
      ? [note(`version ${spec.installVersion} is an override on this cluster, which rollouts do not change`, clear)]
      : []),
    ...((spec.configs ?? []).length > 0 && isUserOwned(projection, 'configs')
      ? [note('spec.configs is an override on this cluster, which rollouts do not change')]
      : []),
  ];
}

/** Whether the cluster is not admitted yet. Only the Configured condition shows this. */
function isWaiting({ status }: ManagedClusterAddOn): boolean {
  const configured = findCondition(status?.conditions, 'Configured');
  return configured === undefined || configured.reason === 'ConfigurationsNotConfigured';
}

/** The recorded entry to which the cluster of this add-on belongs. */
export function entryOf(
  snapshot: Snapshot,
  managementAddOn: ClusterManagementAddOn,
  installed: ManagedClusterAddOn,
): RolloutEntry | undefined {
  const status = snapshotIndex(snapshot).rollout(nameOf(managementAddOn))?.status;
  const { entry } = membershipOf(snapshotLookups(snapshot), managementAddOn.spec, installed.metadata.namespace ?? '', status);
  return status?.entries?.find(({ name }) => name === entry.name);
}
