import { type KubeObject, type LabelSelector, backoffMs, selectorToString } from '@outrigger/core';
import { type ObjectRef, versionedId } from '@outrigger/kube';
import type { ManifestState } from '../state.js';
import { isUnready } from './reason.js';

/** The result of inspecting a workload that is not ready. It is kept in memory only. */
export interface Inspection {
  /** The time at which the workload was first observed as not ready. All times of an inspection are monotonic. */
  readonly since: number;
  /** The time at which the pods of the workload were last read; undefined before the first read. */
  readonly at: number | undefined;
  /** The number of times the pods of the workload were read. */
  readonly looks: number;
  readonly reason: string | undefined;
}

/** The inspections by versioned id of the workload. */
export type Inspections = ReadonlyMap<string, Inspection>;

export const NO_INSPECTIONS: Inspections = new Map();

const NEXT_LOOK = { baseMs: 15_000, maxMs: 300_000 } as const;

/** Returns the workload of a manifest, if the agent should explain why it is not ready. */
export function unreadyWorkload({ live, ref, check }: Pick<ManifestState, 'live' | 'ref' | 'check'>): KubeObject | undefined {
  // The agent must not use its own permissions to reveal pods that an executor may not read.
  if (!ref || check || live.state !== 'present') return undefined;
  return isUnready(live.object) ? live.object : undefined;
}

/** Returns the inspections of the workloads that are not ready now. The delay of newly unready workloads starts now. */
export function currentInspections(known: Inspections, manifests: readonly ManifestState[], monotonic: number): Inspections {
  const current = manifests.flatMap((manifest) => {
    if (!unreadyWorkload(manifest) || !manifest.ref) return [];
    const id = versionedId(manifest.ref);
    return [[id, known.get(id) ?? { since: monotonic, at: undefined, looks: 0, reason: undefined }] as const];
  });
  return current.length === 0 ? NO_INSPECTIONS : new Map(current);
}

/** Returns the inspection of a manifest's workload, if there is one. */
export function inspectionOf(known: Inspections, { ref }: Pick<ManifestState, 'ref'>): Inspection | undefined {
  return ref && known.get(versionedId(ref));
}

/** Returns the monotonic time at which to read the pods of a workload next. */
export function inspectAt({ since, at, looks }: Inspection, firstAfterMs: number): number {
  return at === undefined ? since + firstAfterMs : at + backoffMs(looks, NEXT_LOOK);
}

/** Returns the inspections after the pods of a workload have been read. */
export function inspected(known: Inspections, ref: ObjectRef, reason: string | undefined, monotonic: number): Inspections {
  const before = known.get(versionedId(ref));
  if (!before) return known;
  return new Map(known).set(versionedId(ref), { since: before.since, at: monotonic, looks: before.looks + 1, reason });
}

/** Returns the selector of a workload's pods as a query parameter, or undefined if the workload has no selector or selects all pods. */
export function podSelector(workload: KubeObject): string | undefined {
  const { selector } = (workload as { readonly spec?: { readonly selector?: LabelSelector } }).spec ?? {};
  return selector && (selectorToString(selector) || undefined);
}
