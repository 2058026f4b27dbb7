import {
  type AddOnRolloutStatus,
  ROLLOUT_FORMAT_VERSION,
  type RolloutEntry,
  addOnRollouts,
  clusterManagementAddOns,
  controllerRevisions,
} from '@outrigger/api';
import { type JsonObject, apiVersionOf, createMergePatch } from '@outrigger/core';
import { type Action, type Decision, NOTHING, type Now } from '@outrigger/kube';
import type { AddOnRecord } from '../../resources/add-ons.js';
import { HUB } from '../../resources/base.js';
import { contentName, contentObject } from '../../revisions/content.js';
import { pinned } from '../addon/steps/target.js';
import { type EntryStep, stepEntry } from './entries.js';
import { createAddOn, installBlocker } from './install.js';
import type { EntryObservation, FleetState } from './state.js';
import { declarationStatus, dependenciesValid, targetsResolved } from './status.js';
import { TargetHistory, entryContent } from './targets.js';

/** One pass over a ClusterManagementAddOn: which clusters, in what order, at which revision. */
export function decide(state: FleetState, now: Now): Decision {
  const { declaration, rollout } = state;
  if (declaration.isDeleting || declaration.isSelfManaged) return NOTHING;
  const known = rollout?.status.formatVersion;
  if (known !== undefined && known !== ROLLOUT_FORMAT_VERSION) return NOTHING;

  const members = membership(state);
  const history = new TargetHistory(rollout?.status.history ?? []);
  const steps = state.entries.flatMap((observation): EntryStep[] => {
    const before = rollout?.status.entries?.find(({ name }) => name === observation.entry.name);
    const step = advance(state, observation, members.get(observation.entry.name) ?? new Map(), history, before, now);
    return step ? [step] : [];
  });
  const entries = steps.map(({ entry }) => entry);
  const record = recordStatus(state, entries, history);
  const creations = installActions(state);
  const status = declarationStatus(state, entries, [targetsResolved(state), dependenciesValid(state.cycle)], now);
  const rechecks = steps.flatMap(({ recheckAt }) => (recheckAt === undefined ? [] : [recheckAt]));
  return {
    stages: [
      [...contentActions(state, record), ...createRollout(state)],
      recordActions(state, record),
      [...creations, ...statusActions(state, status)],
    ].filter((stage) => stage.length > 0),
    ...(rechecks.length > 0 ? { requeueAfterMs: Math.max(0, Math.min(...rechecks) - now.wall) } : {}),
  };
}

/** Each entry's own clusters: the last entry that selects a cluster has it; add-ons nobody selects belong to the default one. */
function membership(state: FleetState): ReadonlyMap<string, ReadonlyMap<string, AddOnRecord | undefined>> {
  const installed = new Map(state.addOns.map((addOn) => [addOn.key.namespace ?? '', addOn]));
  const owner = new Map<string, string>();
  for (const { entry, groups } of state.entries) {
    for (const cluster of groups.flatMap((group) => group.clusters)) owner.set(cluster, entry.name);
  }
  const members = new Map<string, Map<string, AddOnRecord | undefined>>();
  for (const [cluster, entry] of owner) {
    const own = members.get(entry) ?? new Map<string, AddOnRecord | undefined>();
    own.set(cluster, installed.get(cluster));
    members.set(entry, own);
  }
  return members;
}

function advance(
  state: FleetState,
  observation: EntryObservation,
  members: ReadonlyMap<string, AddOnRecord | undefined>,
  history: TargetHistory,
  before: RolloutEntry | undefined,
  now: Now,
): EntryStep | undefined {
  const wanted = entryContent(state, observation.entry);
  const pin = history.find(state.rollout?.spec.pinnedRevision)?.revision;
  const revision = pin ?? ('content' in wanted ? history.revisionFor(wanted.content, now.time) : before?.targetRevision);
  const target = history.find(revision);
  // Nothing to go to yet: what the entry had is kept as it is.
  if (!target) return before && { entry: before, recheckAt: undefined };
  return stepEntry(state, observation, members, target, before, now.wall);
}

function recordStatus(state: FleetState, entries: readonly RolloutEntry[], history: TargetHistory): AddOnRolloutStatus {
  const named = new Set(entries.flatMap(({ targetRevision, completedRevision }) => [targetRevision ?? 0, completedRevision ?? 0]));
  const sum = (field: 'selected' | 'done' | 'progressing' | 'failed' | 'skipped'): number =>
    entries.reduce((total, entry) => total + (entry[field] ?? 0), 0);
  const targets = [...new Set(entries.map(({ targetRevision }) => targetRevision))].flatMap((revision) => {
    const target = history.find(revision);
    return target ? [target.version ? `${target.version} (revision ${target.revision})` : `revision ${target.revision}`] : [];
  });
  return {
    formatVersion: ROLLOUT_FORMAT_VERSION,
    observedGeneration: state.rollout?.generation ?? 0,
    target: targets.join(', '),
    selected: sum('selected'),
    done: sum('done'),
    progressing: sum('progressing'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    state: overallState(entries),
    entries,
    history: history.trim(named),
  };
}

function overallState(entries: readonly RolloutEntry[]): NonNullable<AddOnRolloutStatus['state']> {
  const states = new Set(entries.map(({ state }) => state));
  if (states.has('Halted')) return 'Halted';
  if (states.has('Paused')) return 'Paused';
  if (states.has('Progressing')) return 'Progressing';
  return entries.length === 0 ? 'Pending' : 'Completed';
}

/** Content is written before any record names its digest. */
function contentActions(state: FleetState, record: AddOnRolloutStatus): readonly Action[] {
  const hashes = new Map((record.history ?? []).flatMap((target) => pinned(target).map((ref) => [ref.specHash, ref] as const)));
  return [...hashes].flatMap(([specHash, ref]): Action[] => {
    if (state.configs.stored(specHash)) return [];
    const live = state.configs.live(ref);
    if (typeof live === 'string' || live.specHash !== specHash || !live.content) return [];
    const owner = { name: state.declaration.key.name, uid: state.declaration.uid };
    const object = contentObject(specHash, live.content, state.contentNamespace, owner);
    return [{ type: 'create', id: contentName(specHash), api: HUB, kind: controllerRevisions, object, accept: ['AlreadyExists'] }];
  });
}

function createRollout({ declaration, rollout }: FleetState): readonly Action[] {
  if (rollout) return [];
  const { name } = declaration.key;
  const owner = {
    apiVersion: apiVersionOf(clusterManagementAddOns),
    kind: clusterManagementAddOns.kind,
    name,
    uid: declaration.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const object = {
    apiVersion: apiVersionOf(addOnRollouts),
    kind: addOnRollouts.kind,
    metadata: { name, ownerReferences: [owner] },
    spec: {},
  };
  return [{ type: 'create', id: 'rollout', api: HUB, kind: addOnRollouts, object }];
}

/** The record is compare-and-swap: a pass that saw an older one loses, and looks again. */
function recordActions({ rollout }: FleetState, record: AddOnRolloutStatus): readonly Action[] {
  if (!rollout) return [];
  const patch = createMergePatch(rollout.status as unknown as JsonObject, record as unknown as JsonObject) as JsonObject;
  if (Object.keys(patch).length === 0) return [];
  return [
    {
      type: 'patch',
      id: 'record',
      api: HUB,
      kind: addOnRollouts,
      key: rollout.key,
      subresource: 'status',
      patch: { status: patch },
      precondition: { uid: rollout.uid, resourceVersion: rollout.resourceVersion },
    },
  ];
}

function installActions(state: FleetState): readonly Action[] {
  const installed = new Set(state.addOns.map((addOn) => addOn.key.namespace ?? ''));
  const wanted = new Map(
    state.entries.flatMap(({ entry, groups }) =>
      entry.source ? groups.flatMap((group) => group.clusters.map((cluster) => [cluster, entry] as const)) : [],
    ),
  );
  return [...wanted]
    .filter(([cluster]) => !installed.has(cluster) && installBlocker(state.cluster(cluster)) === undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([cluster, entry]) => createAddOn(state.declaration, cluster, entry.template));
}

function statusActions({ declaration }: FleetState, status: JsonObject | undefined): readonly Action[] {
  if (!status) return [];
  return [
    {
      type: 'patch',
      id: 'status',
      api: HUB,
      kind: clusterManagementAddOns,
      key: declaration.key,
      subresource: 'status',
      patch: { status },
      precondition: { uid: declaration.uid, resourceVersion: declaration.resourceVersion },
    },
  ];
}
