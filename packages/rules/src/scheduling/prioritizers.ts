import type { PrioritizerPolicy, ScoreCoordinate } from '@outrigger/api';
import { type Quantity, parseQuantity } from '@outrigger/core';
import type { Candidate } from './candidate.js';
import { MisconfiguredError } from './misconfigured.js';
import type { ScoreSheets } from './score-sheets.js';

const MAX_SCORE = 100;
const DEFAULTS: readonly string[] = ['Steady', 'Balance'];
const RESOURCES: Readonly<Record<string, string>> = { ResourceAllocatableCPU: 'cpu', ResourceAllocatableMemory: 'memory' };

/** The inputs of scores. */
export interface ScoringFacts {
  /** The clusters that this Placement has already selected. */
  readonly selected: ReadonlySet<string>;
  /** For each cluster, the number of PlacementDecisions of other Placements that contain it. */
  readonly otherDecisions: () => ReadonlyMap<string, number>;
  readonly sheets: ScoreSheets;
}

/** Returns one score per cluster, in the order of `clusters`; a score is undefined if there is no data for the cluster. */
type Scorer = (clusters: readonly Candidate[], facts: ScoringFacts) => readonly (number | undefined)[];

export interface Prioritizer {
  readonly name: string;
  readonly weight: number;
  readonly score: Scorer;
  /** The AddOnPlacementScore that the prioritizer reads, if any. */
  readonly resource: string | undefined;
}

/**
 * Returns the prioritizers of a policy. `Additive` starts with Steady and Balance, each with weight 1; `Exact` starts with none. A weight
 * of 0 disables a prioritizer.
 */
export function prioritizersOf({ mode = 'Additive', configurations = [] }: PrioritizerPolicy = {}): readonly Prioritizer[] {
  const wanted = new Map<string, { readonly coordinate: ScoreCoordinate; readonly weight: number }>();
  switch (mode) {
    case 'Exact':
      break;
    case 'Additive':
    case '':
      for (const builtIn of DEFAULTS) wanted.set(builtIn, { coordinate: { type: 'BuiltIn', builtIn }, weight: 1 });
      break;
    default:
      throw new MisconfiguredError('', `incorrect prioritizer policy mode: ${String(mode)}`);
  }
  for (const { scoreCoordinate: coordinate, weight = 1 } of configurations) {
    if (!coordinate) throw new MisconfiguredError('', 'scoreCoordinate field is required');
    wanted.set(nameOf(coordinate), { coordinate, weight });
  }
  return [...wanted]
    .filter(([, { weight }]) => weight !== 0)
    .map(([name, { coordinate, weight }]) => ({ name, weight, score: scorerOf(coordinate), resource: coordinate.addOn?.resourceName }));
}

function nameOf({ type, builtIn = '', addOn }: ScoreCoordinate): string {
  return type === 'AddOn' ? `AddOn/${addOn?.resourceName ?? ''}/${addOn?.scoreName ?? ''}` : builtIn;
}

function scorerOf({ type, builtIn = '', addOn }: ScoreCoordinate): Scorer {
  if (type === 'AddOn') {
    if (!addOn) throw new MisconfiguredError('', 'addOn should not be empty');
    return (clusters, { sheets }) => addOnScores(clusters, sheets, addOn);
  }
  if (builtIn === 'Steady') return (clusters, { selected }) => clusters.map(({ name }) => (selected.has(name) ? MAX_SCORE : 0));
  if (builtIn === 'Balance') return (clusters, { otherDecisions }) => balance(clusters, otherDecisions());
  const resource = Object.hasOwn(RESOURCES, builtIn) ? RESOURCES[builtIn] : undefined;
  if (resource === undefined) throw new MisconfiguredError('', `incorrect builtin prioritizer: ${builtIn}`);
  return (clusters) => allocatable(clusters, resource);
}

/**
 * Returns, in the order of `clusters`, the sum of the scores of all prioritizers for each cluster. A prioritizer without data for a cluster
 * adds 0.
 */
export function totalScores(prioritizers: readonly Prioritizer[], clusters: readonly Candidate[], facts: ScoringFacts): readonly number[] {
  const total = clusters.map(() => 0);
  for (const { weight, score } of prioritizers) {
    for (const [index, value = 0] of score(clusters, facts).entries()) total[index] = (total[index] ?? 0) + value * weight;
  }
  return total;
}

export interface ExpiredScores {
  readonly prioritizer: string;
  /** `cluster/resource` */
  readonly scores: readonly string[];
}

/** Returns the expired scores that a prioritizer reads: those of the last such prioritizer if there are several. */
export function expiredScores(
  prioritizers: readonly Prioritizer[],
  clusters: readonly Candidate[],
  sheets: ScoreSheets,
): ExpiredScores | undefined {
  const found = prioritizers.flatMap(({ name: prioritizer, resource }) => {
    if (resource === undefined) return [];
    const scores = clusters.flatMap(({ name }) => (sheets.isExpired(name, resource) ? [`${name}/${resource}`] : []));
    return scores.length > 0 ? [{ prioritizer, scores: scores.sort() }] : [];
  });
  return found.at(-1);
}

function addOnScores(
  clusters: readonly Candidate[],
  sheets: ScoreSheets,
  { resourceName, scoreName }: { readonly resourceName: string; readonly scoreName: string },
): readonly number[] {
  return clusters.map(({ name }) => sheets.find(name, resourceName)?.scores.findLast((entry) => entry.name === scoreName)?.value ?? 0);
}

/**
 * Prefers clusters that other Placements rarely select. The score is relative to the highest number of Placements that select the same
 * cluster of the hub, even if that cluster is not among the given clusters.
 */
function balance(clusters: readonly Candidate[], others: ReadonlyMap<string, number>): readonly number[] {
  const [, busiest] = range(others.values());
  return clusters.map(({ name }) => {
    const count = others.get(name) ?? 0;
    return count === 0 ? MAX_SCORE : 2 * Math.trunc(MAX_SCORE * (0.5 - count / busiest));
  });
}

function allocatable(clusters: readonly Candidate[], resource: string): readonly (number | undefined)[] {
  const amounts = clusters.map((cluster) => amountOf(cluster, resource));
  const [least, most] = range(amounts.filter((amount) => amount !== undefined));
  return amounts.map((amount) => {
    if (amount === undefined) return undefined;
    return most === least ? MAX_SCORE : Math.trunc(((amount - least) / (most - least) - 0.5) * 2 * MAX_SCORE);
  });
}

function range(values: Iterable<number>): readonly [least: number, most: number] {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}

/** Returns the allocatable amount of a resource. Undefined unless the cluster reports both allocatable and capacity as valid quantities. */
function amountOf({ allocatable: free, capacity }: Candidate, resource: string): number | undefined {
  const amount = quantity(free[resource]);
  return quantity(capacity[resource]) === undefined ? undefined : amount?.toNumber();
}

function quantity(text: number | string | undefined): Quantity | undefined {
  if (text === undefined) return undefined;
  try {
    return parseQuantity(String(text));
  } catch {
    return undefined; // A malformed value of one cluster must not stop the selection of others.
  }
}
