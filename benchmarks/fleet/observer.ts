import { managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import { type Client, reflect } from '@outrigger/kube';
import { runtime } from '../footprint/hub.js';
import { SettledCounts } from './settled-counts.js';

/** The state of the fleet as observed by the benchmark's own watches. */
export interface Observer {
  /** Returns the number of add-ons that are available and run this image; without an image, of all available ones. */
  settled(image?: string): number;
  /** Returns when the manifests of each work last changed, in milliseconds of `performance.now()`. */
  writtenAt(): readonly number[];
  /** Returns when each add-on last settled, in milliseconds of `performance.now()`. */
  settledAt(): readonly number[];
  /** Returns the JSON of the work that was written last. */
  workText(): string;
  lastChangeAt(): number;
  /** Clears the recorded times. */
  reset(): void;
}

export function observeFleet(client: Client): Observer {
  const counts = new SettledCounts();
  const manifestsOf = new Map<string, string>();
  const written = new Map<string, number>();
  let lastChangeAt = performance.now();
  let lastWork: object = {};
  const { signal } = runtime.scope;
  void (async () => {
    for await (const event of reflect({ client, runtime, kind: managedClusterAddOns }, signal)) {
      if (event.type !== 'Apply') continue;
      lastChangeAt = performance.now();
      const { metadata, status } = event.object;
      const isUp =
        findCondition(status?.conditions, 'Available')?.status === 'True' &&
        findCondition(status?.conditions, 'Progressing')?.status === 'False';
      counts.available(`${metadata.namespace}/${metadata.name}`, isUp, lastChangeAt);
    }
  })();
  void (async () => {
    for await (const event of reflect({ client, runtime, kind: manifestWorks }, signal)) {
      if (event.type !== 'Apply') continue;
      lastChangeAt = performance.now();
      const { metadata, spec } = event.object;
      const key = `${metadata.namespace}/${metadata.labels?.['open-cluster-management.io/addon-name'] ?? metadata.name}`;
      const manifests = JSON.stringify(spec.workload ?? {});
      const digest = sha256Hex(manifests);
      if (manifestsOf.get(key) === digest) continue; // The event is only a report.
      manifestsOf.set(key, digest);
      counts.image(key, /"image":"([^"]+)"/.exec(manifests)?.[1] ?? '', lastChangeAt);
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
    reset() {
      written.clear();
      counts.reset();
    },
  };
}
