import { type ManagedClusterAddOn, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { type Client, reflect } from '@outrigger/kube';
import { runtime } from '../footprint/hub.js';
import { SettledCounts } from './settled-counts.js';

/** The state of the fleet as observed by the benchmark's own watches. */
export interface Observer {
  /** Returns the number of available add-ons that run this image, or of all available add-ons if no image is given. */
  settled(image?: string): number;
  /** Returns the times at which the manifests of each work last changed, in milliseconds of `performance.now()`. */
  writtenAt(): readonly number[];
  /** Returns the times at which each add-on last settled, in milliseconds of `performance.now()`. */
  settledAt(): readonly number[];
  /** Returns the JSON of the work that was written last. */
  workText(): string;
  lastChangeAt(): number;
  /**
   * These functions count since the last reset: the works whose manifests changed, the add-ons that settled, and the changes that the
   * watches showed.
   */
  writtenCount(): number;
  settledCount(): number;
  changes(): number;
  /** Clears the recorded times and counts. */
  reset(): void;
}

/**
 * Follows the add-ons and works of a fleet with watches from now on. If a watch falls too far behind, its objects are listed again. The
 * list contains the result of the missed changes.
 */
export function observeFleet(client: Client): Observer {
  const counts = new SettledCounts();
  /**
   * The UID and generation of each work. The API server increases the generation when the spec changes, but not when only the status does.
   */
  const versionOf = new Map<string, string>();
  const written = new Map<string, number>();
  let changes = 0;
  let lastChangeAt = performance.now();
  let lastWork: object = {};
  const { signal } = runtime.scope;
  void (async () => {
    for await (const event of reflect({ client, runtime, kind: managedClusterAddOns }, signal)) {
      if (event.type !== 'Apply' && event.type !== 'InitApply') continue;
      lastChangeAt = performance.now();
      if (event.type === 'Apply') changes++;
      const { metadata } = event.object;
      counts.available(`${metadata.namespace}/${metadata.name}`, isSettled(event.object), lastChangeAt);
    }
  })();
  void (async () => {
    for await (const event of reflect({ client, runtime, kind: manifestWorks }, signal)) {
      if (event.type !== 'Apply' && event.type !== 'InitApply') continue;
      lastChangeAt = performance.now();
      const { metadata, spec } = event.object;
      const key = `${metadata.namespace}/${metadata.labels?.['open-cluster-management.io/addon-name'] ?? metadata.name}`;
      if (event.type === 'Apply') changes++;
      const version = `${metadata.uid} ${metadata.generation}`;
      if (versionOf.get(key) === version) continue; // The generation is unchanged, so only the status has changed.
      versionOf.set(key, version);
      counts.image(key, /"image":"([^"]+)"/.exec(JSON.stringify(spec.workload ?? {}))?.[1] ?? '', lastChangeAt);
      written.set(key, lastChangeAt);
      lastWork = event.object;
    }
  })();
  return {
    settled: (image) => counts.settled(image),
    writtenAt: () => [...written.values()],
    workText: () => JSON.stringify(lastWork),
    lastChangeAt: () => lastChangeAt,
    settledAt: () => counts.settledAt(),
    writtenCount: () => written.size,
    settledCount: () => counts.settledSinceReset(),
    changes: () => changes,
    reset() {
      changes = 0;
      written.clear();
      counts.reset();
    },
  };
}

/** Whether an add-on is available and has no change in progress. */
export function isSettled({ status }: ManagedClusterAddOn): boolean {
  return (
    findCondition(status?.conditions, 'Available')?.status === 'True' &&
    findCondition(status?.conditions, 'Progressing')?.status === 'False'
  );
}
