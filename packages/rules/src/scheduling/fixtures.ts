import type { PlacementSpec } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import type { Candidate, ScoreSheet } from './candidate.js';
import { ClusterExpressions } from './expressions.js';
import { type Schedule, type ScheduleInput, schedule } from './schedule.js';

export const NOW: number = Date.parse('2026-01-01T00:00:00Z');

/** A cluster with default values except for the given parts. */
export function candidate(name: string, parts: Partial<Omit<Candidate, 'name'>> = {}): Candidate {
  const { labels = {}, claims = {}, taints = [], allocatable = {}, capacity = allocatable } = parts;
  const facts: JsonObject = { metadata: { name, labels }, status: { allocatable } };
  return { name, labels, claims, taints, allocatable, capacity, facts, ...parts };
}

export interface Situation {
  readonly spec?: PlacementSpec;
  readonly clusters: readonly Candidate[];
  readonly selected?: readonly string[];
  readonly others?: Readonly<Record<string, number>>;
  /** By `cluster/resource`. */
  readonly sheets?: Readonly<Record<string, ScoreSheet>>;
}

export function inputOf({ spec = {}, clusters, selected = [], others = {}, sheets = {} }: Situation): ScheduleInput {
  return {
    spec,
    clusters,
    selected: new Set(selected),
    otherDecisions: () => new Map(Object.entries(others)),
    sheet: (cluster, resource) => sheets[`${cluster}/${resource}`],
  };
}

const expressions = new ClusterExpressions();

export function scheduleOf(situation: Situation, now: number = NOW): Schedule {
  const result = schedule(inputOf(situation), expressions, now);
  if ('misconfigured' in result) throw new Error(`misconfigured: ${result.misconfigured.plugin}:${result.misconfigured.problem}`);
  return result;
}

/** The names of the selected clusters, sorted. */
export function chosen(situation: Situation, now?: number): readonly string[] {
  return scheduleOf(situation, now)
    .groups.flatMap(({ clusters }) => clusters)
    .sort();
}

export function misconfiguration(situation: Situation): string | undefined {
  const result = schedule(inputOf(situation), expressions, NOW);
  return 'misconfigured' in result ? `${result.misconfigured.plugin}:${result.misconfigured.problem}` : undefined;
}
