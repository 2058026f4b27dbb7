import { atomicList, boolean, enumeration, integer, mapList, object, optional, required, string, time } from '../../schema/builders.js';
import { groupResource, referent } from '../../addon/config.js';
import { conditions } from '../../schema/common.js';
import { AGE, type KindVersion } from '../../schema/kind.js';
import type { FieldDefinition, TypeDefinition } from '../../schema/types.js';
import { gateFields, heldBackField, policiesField, recordField } from './rollout-gates.js';

const count: TypeDefinition = integer({ minimum: 0 });
const revision: TypeDefinition = integer({ minimum: 1 });

const pinnedEntry = object('PinnedEntry', 'The revision to which one entry of the install strategy is pinned.', {
  name: required('Name of the entry, as in status.entries[].name.', string({ minLength: 1 })),
  revision: required('A revision of status.history.', revision),
});

const spec = object('AddOnRolloutSpec', 'The requests of users about the rollouts of one add-on.', {
  paused: optional('Admit no further cluster. Clusters in flight continue.', boolean()),
  pinnedRevision: optional('The stored revision that is the target of every cluster while this is set. See status.history.', revision),
  pinnedEntries: optional(
    'The stored revisions that are the targets of single entries. They take precedence over pinnedRevision.',
    mapList(pinnedEntry, ['name']),
  ),
  confirmRemoval: optional(
    'Allows the installer to remove this many add-ons at once. It must equal the number in the condition TargetsResolved of the ClusterManagementAddOn.',
    count,
  ),
});

const counters: Readonly<Record<string, FieldDefinition>> = {
  selected: optional('Clusters that belong to it.', count),
  done: optional('Clusters that have reached the target.', count),
  progressing: optional('Clusters in flight.', count),
  failed: optional('Clusters that did not reach the target.', count),
  skipped: optional('Clusters left out because they are not available.', count),
};

const inFlight = object('InFlightCluster', 'A cluster in flight: admitted to a revision, and not yet succeeded or failed.', {
  cluster: required('Name of the cluster; `*` means every cluster of the entry.', string({ minLength: 1 })),
  revision: required('The revision it was admitted to.', revision),
  admittedAt: required('When it was admitted.', time()),
  parkedSince: optional('The time since which it is parked: unreachable, without a slot.', time()),
  except: heldBackField,
  unhealthyBefore: optional(
    'The add-on was not available at the admission of the cluster and has not been available since, so minSuccessTime counts from the time at which it is done.',
    boolean(),
  ),
});

const moveDurations = object(
  'MoveDurations',
  'How long clusters took from their admission until the add-on reported the target as done, in seconds. The soak (minSuccessTime) is not part of it.',
  {
    p50: required('Half of the clusters took at most this long.', count),
    p90: required('Nine in ten clusters took at most this long.', count),
    max: required('No cluster took longer.', count),
    values: optional(
      'While the target goes on: the durations so far, shortest first, at most 20; close ones are merged.',
      atomicList(
        object('MoveDuration', 'How many clusters took about this long.', {
          seconds: required('The duration.', count),
          clusters: required('The number of clusters.', count),
        }),
      ),
    ),
  },
);

const targetChange = object('TargetChange', 'A change of the target of an entry, and how the rollout to the new target ended.', {
  at: required('When the target changed.', time()),
  from: optional('The previous target; absent for the first target of the entry.', revision),
  to: required('The revision that became the target.', revision),
  cause: optional(
    'The change that led to the new target: `Declaration` the ClusterManagementAddOn, `Template` or `Config` the content of a referenced object, `DefaultVersion` a template that offers a newer default version, `Pin` spec.pinnedRevision was set, changed or removed, `Automatic` the manager itself. Absent if it is not known.',
    enumeration('Declaration', 'Template', 'Config', 'DefaultVersion', 'Pin', 'Automatic'),
  ),
  pinned: optional(
    'The spec pins the target; false after the pin was removed and the declaration requests the same target. A change with the cause `Pin` without this is the end of a pin.',
    boolean(),
  ),
  manager: optional('The field manager that made the change, if managedFields of the changed object names it.', string()),
  outcome: optional(
    'How it ended: `Completed` reached every available cluster and at least one, `Halted` had more failures than maxFailures, `Superseded` was replaced before its end, `RolledBack` was replaced before its end by a target that completed earlier. Absent while the rollout continues.',
    enumeration('Completed', 'Halted', 'Superseded', 'RolledBack'),
  ),
  endedAt: optional('When the outcome was recorded.', time()),
  selected: optional('Clusters of the entry when it ended, or now.', count),
  done: optional('Clusters that reached the target until then.', count),
  failed: optional('Clusters that failed until then.', count),
  skipped: optional('Clusters left out until then because they were not available.', count),
  durations: optional('How long the clusters that reached the target took. Absent if no cluster moved.', moveDurations),
  record: recordField,
});

const entry = object('RolloutEntry', 'The rollout of one entry of the install strategy.', {
  name: required(
    '`<namespace>/<name>` of the Placement, `labelSelector`, or `default` for clusters no entry selects.',
    string({ minLength: 1 }),
  ),
  targetRevision: optional('The target of the clusters of the entry.', revision),
  handMadeRevision: optional(
    "The target of add-ons that the installer did not create; it does not contain the entry's addonTemplate. Absent if it equals the target.",
    revision,
  ),
  ownConfigsRevision: optional(
    "The target of add-ons whose configs a user overrides; it does not contain the configs of the entry's addonTemplate. Absent if it equals the target.",
    revision,
  ),
  completedRevision: optional(
    'The last revision whose rollout completed in this entry. Clusters that join during a pause get it.',
    revision,
  ),
  startedAt: optional('When the rollout to the target started.', time()),
  // The list is atomic, so that the API server does not store an owner for each field of each cluster (docs/adr/0054).
  inFlight: optional('The clusters in flight. No other cluster may move to the target.', atomicList(inFlight)),
  members: optional(
    'The last known clusters of the entry, by name. While the entry is unknown, they may belong to it. A wildcard admission (`*`) covers them.',
    atomicList(string({ minLength: 1 })),
  ),
  ...counters,
  unhealthy: optional(
    'Clusters, by name, whose move to the target failed and whose health counts. They are no longer in flight, and count as failed until they have been done and available for minSuccessTime, or the target changes.',
    atomicList(string({ minLength: 1 })),
  ),
  failedWithoutHealth: optional(
    'Clusters, by name, whose move to the target failed and whose health does not count. They are no longer in flight, and count as failed until they have been done for minSuccessTime, or the target changes.',
    atomicList(string({ minLength: 1 })),
  ),
  unhealthyBefore: optional('Clusters that count as done although the add-on was available neither before nor after the move.', count),
  parked: optional('Clusters that are parked: in flight, unreachable, and without a slot.', count),
  state: optional('The state of the rollout of this entry.', enumeration('Pending', 'Progressing', 'Completed', 'Paused', 'Halted')),
  message: optional('The same for people.', string()),
  timeline: optional(
    'The changes of the target, newest first: the last 20, and in addition the latest that completed and is a way back.',
    atomicList(targetChange),
  ),
  ...gateFields,
});

const revisionConfig = object('RevisionConfig', 'A configuration of a revision.', {
  ...groupResource,
  ...referent,
  specHash: required('SHA-256 of the content, in hex; empty if the object did not exist.', string()),
});

const target = object('RolloutTarget', 'A revision that was a target.', {
  revision: required('Number of the revision, for use in `spec.pinnedRevision`.', revision),
  version: optional('Version of the add-on in it; empty for an add-on without versions.', string()),
  digest: required('Digest of the content.', string({ minLength: 1 })),
  renderer: optional('Number of the renderer that turns the content into manifests.', integer({ minimum: 1 })),
  configs: optional(
    "The configurations, including the template. Their content is stored by digest in the manager's namespace.",
    atomicList(revisionConfig),
  ),
  targetedAt: optional('When it became a target.', time()),
});

const removal = object('PendingRemoval', 'Removals that wait for a confirmation.', {
  count: required('How many add-ons would be removed.', count),
  of: required('How many add-ons the installer has created.', count),
});

const status = object('AddOnRolloutStatus', 'The state of the rollouts of one add-on. Only the add-on manager writes it.', {
  formatVersion: optional(
    'The format of this record. A manager that does not know the number changes nothing and admits no cluster.',
    integer({ minimum: 1 }),
  ),
  observedGeneration: optional('The generation of the spec that this status describes.', integer({ minimum: 0 })),
  target: optional('The target of the fleet, for users: version and revision.', string()),
  ...counters,
  state: optional(
    '`Pending` waits for its clusters to be known, `Progressing` moves them, `Completed` has nothing to do, `Paused` admits no cluster until a user resumes it, `Halted` met too many failures.',
    enumeration('Pending', 'Progressing', 'Completed', 'Paused', 'Halted'),
  ),
  entries: optional('One rollout per entry of the install strategy.', mapList(entry, ['name'])),
  history: optional('The last ten targets and all that are in use, newest first.', atomicList(target)),
  revisionsImported: optional(
    'Whether the revisions that add-ons had before this record was created are stored in their annotation `outrigger.dev/revision`. Their statuses are then not read again.',
    boolean(),
  ),
  policies: policiesField,
  pendingRemoval: optional('Removals that wait for `spec.confirmRemoval`.', removal),
  conditions: optional('Reserved for facts that the state does not show.', conditions),
});

const column = (
  name: string,
  type: 'string' | 'integer',
  field: string,
): { name: string; type: 'string' | 'integer'; jsonPath: string } => ({
  name,
  type,
  jsonPath: `.status.${field}`,
});

export const addOnRollout: KindVersion = {
  version: 'v1alpha1',
  typeName: 'AddOnRollout',
  description:
    'The state of the rollouts of one add-on. Users pause, pin and confirm rollouts in its spec. The manager creates one for each ClusterManagementAddOn, with the same name.',
  spec: optional('What is asked for.', spec),
  status: optional('The targets and admissions of the rollout.', status),
  columns: [
    column('TARGET', 'string', 'target'),
    column('SELECTED', 'integer', 'selected'),
    column('DONE', 'integer', 'done'),
    column('PROGRESSING', 'integer', 'progressing'),
    column('FAILED', 'integer', 'failed'),
    column('SKIPPED', 'integer', 'skipped'),
    column('STATE', 'string', 'state'),
    AGE,
  ],
};
