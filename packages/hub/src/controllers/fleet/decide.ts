import { GATED_ROLLOUT_FORMAT_VERSION, type RejectedContent, ROLLOUT_FORMAT_VERSION, type RolloutEntry } from '@outrigger/api';
import { earliest } from '@outrigger/core';
import type { ApiAction, Decision, Now } from '@outrigger/kube';
import { isReadableFormat } from '@outrigger/rules/observed';
import type { TargetHistory } from '@outrigger/rules/revisions';
import { type EntryStep, stepEntry } from '@outrigger/rules/rollout';
import { declarationGuard } from '../declaration-guard.js';
import { ownApprovals } from './approval-owners.js';
import { planContents } from './content-retention.js';
import { keepGrants } from './coverage.js';
import { type FleetEffects, measureActions, predictActions, recordedActions } from './effects.js';
import { milestones } from './events.js';
import { fleetStep, recordedEntry, withoutRemovalWaits } from './fleet-step.js';
import { installActions } from './install.js';
import { type FleetMemory, nextMemory } from './memory.js';
import { recordPredictions } from './predictions.js';
import { recordGuard } from './record-guard.js';
import { RECORD_ACTION, namedRevisions, recordAction, recordStatus, rolloutActions } from './record.js';
import { decideRemoval, type Removal } from './removal.js';
import type { FleetState } from './state.js';
import { planTargetRecords } from './target-records.js';
import { STATUS_ACTION, declarationStatus, unreadableRecordStatus, statusAction } from './status.js';

type FleetDecision = Decision<FleetMemory, FleetEffects>;

const NOTHING: FleetDecision = { stages: [] };

/** Decides one pass over a ClusterManagementAddOn: which clusters get the add-on, in what order, and at which revision. */
export function decide(state: FleetState, now: Now): FleetDecision {
  const { managementAddOn, rollout } = state;
  if (state.hasUnreadConfig || managementAddOn.isDeleting || managementAddOn.isSelfManaged) return NOTHING;
  const format = rollout?.status.formatVersion;
  if (!isReadableFormat(format)) return leaveAlone(state, format, now);

  const { fleet, context, rolledOut } = fleetStep(state, now);
  const { entries } = fleet;
  const { history, assigned, stopwatch, rejections } = context;
  const removal = decideRemoval(state, fleet, now);
  const advanced = rolledOut.flatMap((members) => stepEntry(context, members, recordedEntry(state, members)) ?? []);
  const { steps, annotations, needsCurrentRecord } = keepGrants(state, fleet, advanced, { history, at: now.time });
  const contents = planContents(state, history, keptRevisions(state, steps, history), now.wall);
  const rejected = rejections.with(advanced.flatMap(({ rejects }) => rejects ?? []));
  const decided = steps.map(({ entry }) => withRemovalWaits(withRejected(withProblems(entry, contents.problems), rejected), removal));
  const status = declarationStatus(state, steps, history, { ...removal, refusal: contents.refusal }, now);
  const recordOf = (entries: readonly RolloutEntry[]): ApiAction | undefined =>
    recordAction(state, recordStatus(state, entries, history, removal, assigned.marker));
  const { records, recheckMs } = recordPredictions(state, decided, (entries) => recordOf(entries) !== undefined, now);
  const targetRecords = planTargetRecords(state, steps, records, now.wall);
  const record = spaced(state, recordOf(records), now);
  // If the write of the record is delayed, delay the status too, because clients read the record when the status reports the declaration as
  // observed.
  const report = record.waitMs === undefined ? spaced(state, statusAction(state, status), now) : WITHHELD;

  const foundation = [...contents.keep, ...rolloutActions(state)];
  const stages = [
    // A patch in `foundation` adds an owner reference to an existing object, so first check that the declaration still exists.
    [
      ...(foundation.some(({ type }) => type === 'patch') ? [declarationGuard(managementAddOn)] : []),
      ...(needsCurrentRecord && rollout ? [recordGuard(rollout)] : []),
    ],
    // Store content before the record that names its digest, and write the record before the actions that it allows. If the API server
    // refuses to store content, later stages do not run, so write the status in this stage.
    [...foundation, ...(contents.refusal === undefined ? [] : report.actions)],
    record.actions.length > 0 ? targetRecords.store : [],
    record.actions,
    [
      ...(contents.refusal === undefined ? report.actions : []),
      ...annotations,
      ...assigned.imports,
      ...ownApprovals(state),
      ...installActions(state, entries, { entries: records, isStored: record.actions.length > 0 }),
      ...removal.deletions,
      ...contents.collect,
      ...targetRecords.collect,
      ...measureActions(state, steps, now.wall),
      ...(record.waitMs === undefined ? predictActions(state, records, now) : []),
      ...(record.actions.length > 0 ? recordedActions(state, records, now.time) : []),
    ],
  ];
  const waitMs = earliest(
    record.waitMs,
    report.waitMs,
    removal.recheckMs,
    recheckMs,
    clockRecheckMs(records),
    ...[contents, targetRecords, ...steps].map(({ recheckAt }) => recheckAt && recheckAt - now.wall),
  );
  return {
    stages: stages.filter((stage) => stage.length > 0),
    remember: nextMemory(state.memory, removal.departures, stopwatch.changes()),
    ...(record.actions.length > 0 ? { events: milestones(state, records, history, removal) } : {}),
    ...(waitMs === undefined ? {} : { requeueAfterMs: Math.max(0, waitMs) }),
  };
}

function withRemovalWaits(entry: RolloutEntry, { waits }: Removal): RolloutEntry {
  const own = waits.get(entry.name) ?? [];
  const known = withoutRemovalWaits(entry);
  return own.length === 0 ? known : { ...known, waitingFor: [...(known.waitingFor ?? []), ...own] };
}

/** Handles a record in another format, which this manager cannot interpret. Changes nothing, and reports the problem once in the status. */
function leaveAlone(state: FleetState, format: number, now: Now): FleetDecision {
  const { name } = state.managementAddOn.key;
  const message = `the record in AddOnRollout ${name} has format ${format} and this manager reads ${ROLLOUT_FORMAT_VERSION} and ${GATED_ROLLOUT_FORMAT_VERSION}: nothing is started until a manager that knows it runs, or the AddOnRollout is deleted`;
  const { actions, waitMs } = spaced(state, statusAction(state, unreadableRecordStatus(state, message, now)), now);
  return { stages: actions.length === 0 ? [] : [actions], ...(waitMs === undefined ? {} : { requeueAfterMs: waitMs }) };
}

function keptRevisions({ addOns }: FleetState, steps: readonly EntryStep[], history: TargetHistory): ReadonlySet<number> {
  const named = namedRevisions(
    steps.map(({ entry }) => entry),
    addOns,
  );
  return new Set(history.trim(named).map(({ revision }) => revision));
}

/** Adds the rejections to an entry. A rejection applies to all entries of the add-on, so each entry names it. */
function withRejected(entry: RolloutEntry, rejected: readonly RejectedContent[]): RolloutEntry {
  if (entry.rejected === undefined && rejected.length === 0) return entry;
  const { rejected: _, ...rest } = entry;
  return rejected.length === 0 ? rest : { ...rest, rejected };
}

/** Adds the problems with storing content to the entry's message. */
function withProblems(entry: RolloutEntry, problems: readonly string[]): RolloutEntry {
  return problems.length === 0 ? entry : { ...entry, message: [entry.message ?? '', ...problems].join('; ') };
}

/** The interval at which the clock of the process is checked again while windows count as closed because of it. */
const CLOCK_RECHECK_MS = 60_000;

/** No event reports that a clock was corrected, so the pass is repeated while the clock holds clusters or removals. */
function clockRecheckMs(entries: readonly RolloutEntry[]): number | undefined {
  return entries.some(({ waitingFor = [] }) => waitingFor.some(({ kind }) => kind === 'Clock')) ? CLOCK_RECHECK_MS : undefined;
}

const SPACING_MS = 1000;
/** The result for a status that must not be written before the record. */
const WITHHELD = { actions: [], waitMs: undefined };

/**
 * Limits each type of write to one per second. Skips a write that would come too early; a later pass then writes the state at the time of
 * that pass.
 */
function spaced(
  { outcomes }: FleetState,
  action: ApiAction | undefined,
  now: Now,
): { actions: readonly ApiAction[]; waitMs: number | undefined } {
  if (!action) return { actions: [], waitMs: undefined };
  const acceptedAt = outcomes.acceptedAt(action.id);
  const waitMs = acceptedAt === undefined ? 0 : acceptedAt + SPACING_MS - now.monotonic;
  return waitMs > 0 ? { actions: [], waitMs } : { actions: [action], waitMs: undefined };
}

/** The actions that `spaced` limits. The runtime keeps the times at which the API server accepted these actions. */
export const SPACED_ACTIONS: readonly string[] = [RECORD_ACTION, STATUS_ACTION];
