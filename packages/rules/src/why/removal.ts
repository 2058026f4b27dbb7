import {
  type AddOnRollout,
  type ClusterManagementAddOn,
  INSTALLED_SPEC_ANNOTATION,
  type ManagedClusterAddOn,
  type ManifestWork,
} from '@outrigger/api';
import { findCondition, parseTime, shell, toTime, nameOf } from '@outrigger/core';
import { type Link, note, stop, wait } from '../explanation/chain.js';
import type { Selection } from '../strategy/install-strategy.js';
import { isByHand } from '../strategy/strategies.js';
import { manifestName } from '../works/work-projection.js';

/** Explains why the strategy selects an existing add-on or, if no entry selects it, why it still exists and when it will be removed. */
export function selectionOfPresent(
  { isSelected, links }: Selection,
  managementAddOn: ClusterManagementAddOn,
  installed: ManagedClusterAddOn,
  rollout: AddOnRollout | undefined,
): readonly Link[] {
  if (isSelected) return links;
  const notes = links.filter(({ type }) => type === 'note');
  if (installed.metadata.annotations?.[INSTALLED_SPEC_ANNOTATION] === undefined)
    return [note('no entry of the strategy selects it here: it was installed by hand and stays'), ...notes];
  if (isByHand(managementAddOn.spec)) return [note('strategy Manual: it was installed by an earlier strategy and stays'), ...notes];
  return [removalLink(managementAddOn, rollout), ...notes];
}

function removalLink(managementAddOn: ClusterManagementAddOn, rollout: AddOnRollout | undefined): Link {
  const name = nameOf(managementAddOn);
  const resolved = findCondition(managementAddOn.status?.conditions, 'TargetsResolved');
  const since = resolved === undefined ? '' : ` since ${resolved.lastTransitionTime}`;
  const pending = rollout?.status?.pendingRemoval;
  if (pending)
    return stop(
      `no entry of the strategy selects it here: its removal waits for a confirmation${since} (${pending.count} of ${pending.of} add-ons would be removed)`,
      shell`outrigger rollout confirm ${name}`,
    );
  const held = (rollout?.status?.entries ?? [])
    .flatMap(({ waitingFor = [] }) => waitingFor)
    .find(({ operation }) => operation === 'Remove');
  if (held)
    return wait(
      `no entry of the strategy selects it here: removals wait for ${held.name}${held.message === undefined ? '' : ` (${held.message})`}`,
      shell`outrigger rollout status ${name}`,
    );
  if (resolved?.status === 'False')
    return wait(
      `no entry of the strategy selects it here; it stays while the clusters of an entry are not known${since}: ${resolved.message}`,
    );
  return wait('no entry of the strategy selects it here: the manager removes it about 10 seconds after that');
}

/**
 * The maximum time for which the pre-delete hooks of an add-on run. After that the add-on is removed, even if the hooks have not finished.
 */
const HOOK_DEADLINE_MS = 10 * 60_000;

/** Explains an add-on that is being deleted: how long the deletion has taken, and what it waits for. */
export function explainDeletion({ metadata, status }: ManagedClusterAddOn, works: readonly ManifestWork[]): readonly Link[] {
  const since = metadata.deletionTimestamp ?? '';
  const hook = findCondition(status?.conditions, 'HookManifestCompleted');
  if (hook?.status === 'False') {
    const endsAt = toTime((parseTime(since) ?? 0) + HOOK_DEADLINE_MS);
    return [wait(`it is being removed since ${since}: ${hook.message} It is removed without that at ${endsAt}`)];
  }
  if (works.length > 0)
    return [wait(`it is being removed since ${since}: the agent still removes the objects of ${works.map(nameOf).sort().join(', ')}`)];
  const finalizers = metadata.finalizers ?? [];
  return [wait(`it is being removed since ${since}${finalizers.length > 0 ? `: it waits for ${finalizers.join(', ')}` : ''}`)];
}

/** Explains the works of an add-on that is neither declared nor installed any more: the agent has not removed all of their objects. */
export function explainRemnants(works: readonly ManifestWork[], cluster: string): Link {
  const since = works.map(({ metadata }) => metadata.deletionTimestamp ?? '').sort()[0] ?? '';
  const objects = works.flatMap(({ status }) => status?.resourceStatus?.manifests ?? []).map(({ resourceMeta }) => resourceMeta);
  const [first] = objects;
  const named = objects.slice(0, MOST_OBJECTS).map(manifestName).join(', ');
  const more = objects.length > MOST_OBJECTS ? ` and ${objects.length - MOST_OBJECTS} more` : '';
  const text = `the add-on is deleted; the agent removes its objects${since === '' ? '' : ` since ${since}`}: ${named === '' ? works.map(nameOf).sort().join(', ') : named}${more}. An object with a finalizer stays until its controller removes the finalizer`;
  if (!first) return wait(text);
  const { resource = '', namespace, name = '' } = first;
  const get = `${shell`kubectl get ${resource} ${name}`}${namespace ? shell` -n ${namespace}` : ''} -o yaml`;
  return wait(text, `on ${cluster}: ${get}`);
}

const MOST_OBJECTS = 3;
