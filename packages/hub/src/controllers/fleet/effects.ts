import type { RolloutEntry } from '@outrigger/api';
import type { Metrics } from '@outrigger/core';
import type { EffectAction, EffectHandler, Now } from '@outrigger/kube';
import { type AddressedNotification, queryText, rolloutNotifications } from '@outrigger/rules/policy';
import { predictionsDue } from '@outrigger/rules/prediction';
import type { EntryStep } from '@outrigger/rules/rollout';
import type { MeasurementRequest, MeasurementsDue } from '../../rollout-policies/measurements.js';
import type { PredictionsDue } from '../../rollout-policies/predictions.js';
import type { GuardEffects } from '../declaration-guard.js';
import type { RecordGuardEffects } from './record-guard.js';
import type { FleetState } from './state.js';

export const MEASURE = 'measure';
export const NOTIFY = 'notify';
export const COUNT = 'count';
export const PREDICT = 'predict';

/** The effects of the fleet controller that are not writes of objects. */
export interface FleetEffects extends GuardEffects, RecordGuardEffects {
  readonly [MEASURE]: MeasurementsDue;
  readonly [NOTIFY]: readonly AddressedNotification[];
  readonly [COUNT]: RolloutCounts;
  readonly [PREDICT]: PredictionsDue<FleetState>;
}

/** The changes from one record to the next, as the metrics count them. */
export interface RolloutCounts {
  readonly addOn: string;
  readonly rolledBack: number;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
}

/** Requests the measurements that are due and were not requested before, and discards answers that are no longer needed. */
export function measureActions(state: FleetState, steps: readonly EntryStep[], now: number): readonly EffectAction<FleetEffects>[] {
  const { name: addOn } = state.managementAddOn.key;
  const requests = steps.flatMap(({ entry, measurements = [] }): readonly MeasurementRequest[] =>
    measurements.flatMap(({ analysis, dueAt, ...due }) => {
      if (dueAt > now) return [];
      const query = queryText(analysis.query, { addOn, revision: due.revision, entry: entry.name });
      return [{ ...due, entry: entry.name, provider: analysis.provider, query }];
    }),
  );
  const { isRequested, taken } = state.measurements;
  const isOld = taken.some((one) => !requests.some((request) => isAnswer(one, request)));
  if (!isOld && requests.every(isRequested)) return [];
  return [{ type: 'effect', effect: MEASURE, id: MEASURE, input: { addOn, requests } }];
}

function isAnswer(taken: FleetState['measurements']['taken'][number], request: MeasurementRequest): boolean {
  return (
    taken.entry === request.entry &&
    taken.gate === request.gate &&
    taken.group === request.group &&
    taken.revision === request.revision &&
    taken.look === request.look
  );
}

/** Requests predictions for targets that have started, once the record names the targets. Discards results that were recorded. */
export function predictActions(state: FleetState, entries: readonly RolloutEntry[], now: Now): readonly EffectAction<FleetEffects>[] {
  const { name: addOn } = state.managementAddOn.key;
  const requests = predictionsDue(entries, state.policies.length > 0);
  const { isRequested, predicted } = state.predictions;
  const isOld = predicted.some(({ entry }) => !requests.some((request) => request.entry === entry));
  if (!isOld && requests.every(isRequested)) return [];
  return [{ type: 'effect', effect: PREDICT, id: PREDICT, input: { addOn, requests, state, now } }];
}

/** The effects to execute after a record is written. There are none if no policy governs the add-on. */
export function recordedActions(state: FleetState, after: readonly RolloutEntry[], at: string): readonly EffectAction<FleetEffects>[] {
  const { name: addOn } = state.managementAddOn.key;
  const before = state.rollout?.status.entries ?? [];
  const counts = countsOf(addOn, before, after);
  const notifications = rolloutNotifications(state.policies, addOn, { before, after, at });
  return [
    ...(counts ? [{ type: 'effect', effect: COUNT, id: COUNT, input: counts } as const] : []),
    ...(notifications.length > 0 ? [{ type: 'effect', effect: NOTIFY, id: NOTIFY, input: notifications } as const] : []),
  ];
}

function countsOf(addOn: string, before: readonly RolloutEntry[], after: readonly RolloutEntry[]): RolloutCounts | undefined {
  const known = new Map(before.map((entry) => [entry.name, entry]));
  const counts = { rolledBack: 0, passed: 0, failed: 0, inconclusive: 0 };
  for (const { name, rolledBack, analysis = [] } of after) {
    const old = known.get(name);
    if (rolledBack && rolledBack.at !== old?.rolledBack?.at) counts.rolledBack++;
    for (const state of analysis) {
      const earlier = old?.analysis?.find((one) => one.name === state.name && one.group === state.group && one.revision === state.revision);
      for (const result of ['passed', 'failed', 'inconclusive'] as const) {
        counts[result] += Math.max(0, (state[result] ?? 0) - (earlier?.[result] ?? 0));
      }
    }
  }
  return Object.values(counts).some((count) => count > 0) ? { addOn, ...counts } : undefined;
}

/** The handler of the effect that updates the counters. */
export function countHandler(metrics: Metrics | undefined): EffectHandler<RolloutCounts> {
  const rolledBack = metrics?.counter({
    name: 'outrigger_rollout_rolled_back_total',
    help: 'Automatic rollbacks of entries.',
    labels: ['add_on'],
  });
  const measured = metrics?.counter({
    name: 'outrigger_rollout_analysis_total',
    help: 'Measurements of analyses by result: pass, fail or inconclusive.',
    labels: ['result'],
  });
  return async ({ addOn, rolledBack: back, passed, failed, inconclusive }) => {
    if (back > 0) rolledBack?.add({ add_on: addOn }, back);
    for (const [result, count] of [
      ['pass', passed],
      ['fail', failed],
      ['inconclusive', inconclusive],
    ] as const) {
      if (count > 0) measured?.add({ result }, count);
    }
  };
}
