import type { ClusterTaint, ClusterToleration } from '@outrigger/api';
import { earliest, parseTime } from '@outrigger/core';
import type { Candidate } from './candidate.js';
import { MisconfiguredError } from './misconfigured.js';

const PLUGIN = 'TaintToleration';
const TOLERATED: Tolerance = { isTolerated: true, until: undefined };
const REFUSED: Tolerance = { isTolerated: false, until: undefined };

export interface Tolerance {
  readonly isTolerated: boolean;
  /** The time at which the Placement stops tolerating the cluster, if neither the Placement nor the taints change. */
  readonly until: number | undefined;
}

export function checkTolerations(tolerations: readonly ClusterToleration[]): void {
  for (const { key = '', operator = 'Equal', value = '' } of tolerations) {
    if (key === '' && operator !== 'Exists') throw new MisconfiguredError(PLUGIN, 'If the key is empty, operator must be Exists.');
    if (operator === 'Exists' && value !== '') {
      throw new MisconfiguredError(PLUGIN, 'If the operator is Exists, the value should be empty.');
    }
  }
}

/**
 * Whether the Placement tolerates every taint of the cluster, and until when. `isSelected` is true if the Placement has already selected
 * the cluster.
 */
export function toleranceOf(cluster: Candidate, tolerations: readonly ClusterToleration[], isSelected: boolean, now: number): Tolerance {
  let until: number | undefined;
  for (const taint of cluster.taints) {
    const tolerance = taintTolerance(taint, tolerations, isSelected, now);
    if (!tolerance.isTolerated) return tolerance;
    until = earliest(until, tolerance.until);
  }
  return { isTolerated: true, until };
}

function taintTolerance(taint: ClusterTaint, tolerations: readonly ClusterToleration[], isSelected: boolean, now: number): Tolerance {
  if (taint.effect === 'PreferNoSelect') return TOLERATED;
  if (taint.effect === 'NoSelectIfNew' && isSelected) return TOLERATED;
  for (const toleration of tolerations) {
    const tolerance = isAbout(toleration, taint) ? durationOf(toleration, taint, now) : REFUSED;
    if (tolerance.isTolerated) return tolerance;
  }
  return REFUSED;
}

function isAbout({ key = '', operator = 'Equal', value = '', effect }: ClusterToleration, taint: ClusterTaint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}

/** A taint without timeAdded is treated as infinitely old, as upstream does. */
function durationOf({ tolerationSeconds }: ClusterToleration, { timeAdded }: ClusterTaint, now: number): Tolerance {
  if (tolerationSeconds === undefined) return TOLERATED;
  const until = (parseTime(timeAdded) ?? Number.NEGATIVE_INFINITY) + tolerationSeconds * 1000;
  return now < until ? { isTolerated: true, until } : REFUSED;
}
