import {
  atomic,
  atomicList,
  boolean,
  enumeration,
  integer,
  mapOf,
  object,
  optional,
  required,
  string,
  time,
} from '../../schema/builders.js';
import type { FieldDefinition, TypeDefinition } from '../../schema/types.js';

const count: TypeDefinition = integer({ minimum: 0 });
const revision: TypeDefinition = integer({ minimum: 1 });
const gate = (description: string): FieldDefinition => required(description, string({ minLength: 1 }));

const askedAgain: FieldDefinition = optional(
  'Earlier approvals no longer count, because the number of clusters behind the gate grew by more than a fifth.',
  time(),
);

const wait = object('RolloutWait', 'A gate that holds clusters of an entry.', {
  kind: required(
    'The kind of gate; `Policies` means that the policies are not readable, `Clock` that the manager cannot trust its clock.',
    enumeration('Window', 'Approval', 'Analysis', 'Policies', 'Clock'),
  ),
  name: gate('`<policy>/<name>` of the gate.'),
  group: optional('The group of clusters that it holds, if it is about one group.', string()),
  operation: optional('`Remove`: it holds removals of the add-on. Absent: it holds admissions.', enumeration('Remove')),
  since: optional('The time since which it holds clusters.', time()),
  until: optional('When it opens without a decision, if that is known.', time()),
  message: optional('The same for people.', string()),
  clusters: optional('How many clusters it holds.', count),
  digest: optional("Digest of the gate's definition: a changed definition that no longer holds opens 5 minutes later.", string()),
  approvalsSince: askedAgain,
  holdsInstalls: optional('It is a window that also holds installations, even of the last completed revision.', boolean()),
  loosened: optional('The gate was removed or loosened while it held clusters; it opens at `until`.', boolean()),
});

const openedGate = object('OpenedGate', 'An approval gate that has opened for the target, or that has approvals for it.', {
  name: gate('`<policy>/<name>` of the gate.'),
  group: optional('The group that it is about.', string()),
  revision: required('The revision that it opened for.', revision),
  clusters: required(
    'How many clusters were behind it at the first approval. If there are many more later, it requires new approvals.',
    count,
  ),
  closed: optional('It is not open: approvals are missing, or more clusters are behind it than were approved.', boolean()),
  byTime: optional('It opened after its `wait`, without an approval.', boolean()),
  heldSince: optional('Since when it held clusters until it was approved. Absent if it held none.', time()),
  openedAt: optional('When it was approved. Absent if it held no cluster before.', time()),
  approvalsSince: askedAgain,
});

const analysis = object('AnalysisState', 'The measurements of one analysis for one group.', {
  name: gate('`<policy>/<name>` of the analysis.'),
  group: optional('The group that was measured.', string()),
  revision: required('The revision that was measured.', revision),
  passed: optional('Measurements that passed.', count),
  failed: optional('Measurements that failed.', count),
  inconclusive: optional('Measurements without a result.', count),
  admittedAt: optional(
    "When the group's first cluster was admitted. `compare` uses it for clusters whose own admission is not recorded.",
    time(),
  ),
  since: optional(
    'The time since which all clusters of the group are admitted. The first measurement follows after `initialDelay`.',
    time(),
  ),
  result: optional('The last result.', enumeration('Pass', 'Fail', 'Inconclusive')),
  at: optional('When the last measurement was taken.', time()),
  message: optional('The last result, as text for users.', string()),
});

const rejection = object('RejectedContent', 'Rejected content, which does not become the target of the entry.', {
  digest: required("Digest of the content, without the renderer's number.", string({ minLength: 1 })),
  revision: optional('The revision that was rejected.', revision),
  gate: optional('`<policy>/<name>` of the gate, or `<policy>/onFailure`.', string()),
  reason: required('Why it was rejected.', string()),
  at: required('When it was rejected.', time()),
});

const rollBack = object('RollBack', 'An automatic rollback.', {
  from: required('The revision that failed.', revision),
  to: required('The revision that the entry goes back to.', revision),
  at: required('When it began.', time()),
  reason: required('Why.', string()),
});

const prediction = object(
  'RolloutPrediction',
  'When the rollout to the target was expected to end, computed when it started. Approvals are assumed to be given as soon as they are needed.',
  {
    at: required('When it was computed.', time()),
    p50: required('Half of the simulated runs end before this time.', time()),
    p90: required('Nine in ten simulated runs end before this time. A rollout that ends later is late.', time()),
    runs: required('The number of simulated runs.', count),
    basis: required(
      'The durations that the runs sample: `Recorded` those of earlier moves, `Default` an assumption, because none were recorded.',
      enumeration('Recorded', 'Default'),
    ),
    moves: optional('The number of recorded moves.', count),
  },
);

/** The fields that rollout policies add to an entry of an AddOnRollout. They are absent if no policy governs the add-on. */
export const gateFields: Readonly<Record<string, FieldDefinition>> = {
  waitingFor: optional('The gates that hold clusters of the entry.', atomicList(wait)),
  openedGates: optional('The approval gates that have opened for the target.', atomicList(openedGate)),
  analysis: optional('The latest measurements, at most 20.', atomicList(analysis, { maxItems: 20 })),
  rejected: optional(
    'Rejected content, which does not become the target of the entry until the content changes or a user retries it.',
    atomicList(rejection),
  ),
  failedSince: optional(
    'The time since which more clusters have failed than maxFailures tolerates, if a policy rolls back in this case. It does so after 60 seconds.',
    time(),
  ),
  moves: optional(
    'The moves that have ended, by cluster, until the rollout to the target ends: `<seconds from startedAt to the admission>+<seconds until it was done>`, with `!` after it if the cluster failed. When the target ends, they are stored in a ControllerRevision.',
    atomic(mapOf(string())),
  ),
  prediction: optional('The expected end of the rollout to the target.', prediction),
  rolledBack: optional('The automatic rollback of the entry, while its target is the result of one.', rollBack),
};

/** The field that names the stored record of a target that has ended. */
export const recordField: FieldDefinition = optional(
  "Name of the ControllerRevision in the manager's namespace that keeps admission, outcome and duration of each cluster. Only if a RolloutPolicy governed the add-on when the target ended.",
  string(),
);

/** The field with the clusters that a wildcard admission (`*`) does not admit while a gate holds them. */
export const heldBackField: FieldDefinition = optional(
  'Only with `*`: names of clusters that a gate holds; `gate:<policy>/<name>` stands for all clusters of the gate.',
  atomicList(string({ minLength: 1 })),
);

/** The field with the policies that govern the add-on, in the status of an AddOnRollout. */
export const policiesField: FieldDefinition = optional(
  'Names of the RolloutPolicies that govern the add-on.',
  atomicList(string({ minLength: 1 })),
);
