import type { Admission, ObservedCluster, StepInput } from '../input.js';
import type { PlacedGroup } from '../phase.js';
import { admit, type Instant, withHealth } from './admission.js';

interface AllStep {
  readonly groups: readonly PlacedGroup[];
  readonly kept: ReadonlyMap<string, Admission>;
  /** The clusters that this step admits to the target. */
  readonly admissions: { readonly next: readonly ObservedCluster[]; readonly retargets: readonly ObservedCluster[] };
  readonly now: Instant;
}

/** The fields of `StepDecision` that strategy All determines. */
interface WildcardAdmission {
  readonly inFlight: ReadonlyMap<string, Admission>;
  readonly admitsAll: boolean;
  readonly admitted: readonly string[];
  readonly except: readonly string[];
}

/**
 * Strategy All: a wildcard admission covers every cluster except those that gates hold and those that may belong to another entry. In
 * addition, the record names clusters that are parked, that were unhealthy before their move, or that were admitted later than the others
 * because a gate held them.
 */
export function admitAll(input: StepInput, { groups, kept, admissions, now }: AllStep): WildcardAdmission {
  const { wildcard, isPaused, gates } = input;
  const moves = new Set([...admissions.next, ...admissions.retargets].filter(({ mayMove }) => mayMove));
  const candidates = [...groups.flatMap(({ waiting, retargets }) => [...waiting, ...retargets]), ...continuing(input, groups)];
  // While no waiting cluster may move, make no wildcard admission, because it would admit clusters that join while gates hold the others.
  const isAllHeld = candidates.length > 0 && moves.size === 0;
  if (!wildcard && (isPaused || isAllHeld)) return { inFlight: kept, admitsAll: false, admitted: [], except: [] };
  // With gates, admit an unreachable cluster only when it is reachable again and no gate holds it.
  const skipsUnreachable = gates !== undefined || (wildcard !== undefined && isPaused);
  const unreachable = new Set(groups.flatMap(({ skipped }) => skipped));
  const outside = [...candidates, ...unreachable].filter((seen) => !wildcard || seen.isExcepted);
  const isLeftOut = (seen: ObservedCluster): boolean => (unreachable.has(seen) ? skipsUnreachable || !seen.mayMove : !moves.has(seen));
  const except = outside.filter(isLeftOut);
  const excepted = new Set(except.map(({ cluster }) => cluster));
  const notable = new Map<string, Admission>();
  for (const { clusters } of input.groups) {
    for (const seen of clusters) {
      if (excepted.has(seen.cluster)) continue;
      const named = wildcard ? seen.admission && withHealth(seen.admission, seen) : seen.report.atTarget ? undefined : admit(seen, now);
      if (named?.unhealthyBefore) notable.set(seen.cluster, named);
    }
  }
  for (const [cluster, admission] of kept) {
    const isNotable = admission.unhealthyBefore || admission.parkedSince !== undefined || isLater(input, admission);
    if (isNotable || excepted.has(cluster)) notable.set(cluster, admission);
  }
  const released = wildcard ? outside.filter(({ cluster }) => !excepted.has(cluster)) : [];
  for (const seen of released) if (!seen.isUnreachable) notable.set(seen.cluster, seen.retarget ?? admit(seen, now));
  return {
    inFlight: notable,
    admitsAll: true,
    admitted: wildcard ? released.map(({ cluster }) => cluster) : ['*'],
    except: [...excepted].sort(),
  };
}

/**
 * The clusters in flight that a new wildcard admission must not cover. Those in flight to a revision other than the target, such as joining
 * clusters that get the completed revision, would be admitted to the target without evaluating the gates, and would move while the rollout
 * is paused. When such a cluster is no longer in flight, it waits for an admission to the target. Those that may belong to another entry
 * keep their named admission.
 */
function continuing({ gates, isPaused }: StepInput, groups: readonly PlacedGroup[]): readonly ObservedCluster[] {
  const isAsked = gates !== undefined || isPaused;
  return groups.flatMap(({ inFlight }) =>
    inFlight.flatMap(({ seen }) => ((isAsked && seen.isElsewhere && !seen.retarget) || !seen.mayMove ? [seen] : [])),
  );
}

/** Whether the cluster was admitted later than the others because a gate held it. Such a cluster has its own deadline. */
function isLater({ gates, wildcard }: StepInput, { admittedAt }: Admission): boolean {
  return gates !== undefined && wildcard !== undefined && admittedAt !== wildcard.admittedAt;
}

export function waitingIn(groups: readonly PlacedGroup[], clusters: readonly string[]): number {
  if (clusters.length === 0) return 0;
  const named = new Set(clusters);
  return groups.reduce((sum, { waiting }) => sum + waiting.filter(({ cluster }) => named.has(cluster)).length, 0);
}
