import { managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { type Client, reflect } from '@outrigger/kube';
import { runtime } from '../footprint/hub.js';

/** The state of the fleet as observed by the benchmark's own watches. */
export interface Observer {
  /** Add-ons on clusters that are available and run this image; without an image, all available ones. */
  settled(image?: string): number;
  /** When each work last changed its manifests, in milliseconds of `performance.now()`. */
  writtenAt(): readonly number[];
  /** Bytes of the last work that was written. */
  workText(): string;
  lastChangeAt(): number;
  /** Clears the recorded write times of works. */
  reset(): void;
}

export function observeFleet(client: Client): Observer {
  const images = new Map<string, string>();
  const manifestsOf = new Map<string, string>();
  const available = new Set<string>();
  const written = new Map<string, number>();
  let lastChangeAt = performance.now();
  let lastWork = '';
  const { signal } = runtime.scope;
  void (async () => {
    for await (const event of reflect({ client, runtime, kind: managedClusterAddOns }, signal)) {
      if (event.type !== 'Apply') continue;
      lastChangeAt = performance.now();
      const { metadata, status } = event.object;
      const key = `${metadata.namespace}/${metadata.name}`;
      const isUp =
        findCondition(status?.conditions, 'Available')?.status === 'True' &&
        findCondition(status?.conditions, 'Progressing')?.status === 'False';
      if (isUp) available.add(key);
      else available.delete(key);
    }
  })();
  void (async () => {
    for await (const event of reflect({ client, runtime, kind: manifestWorks }, signal)) {
      if (event.type !== 'Apply') continue;
      lastChangeAt = performance.now();
      const { metadata, spec } = event.object;
      const key = `${metadata.namespace}/${metadata.labels?.['open-cluster-management.io/addon-name'] ?? metadata.name}`;
      const manifests = JSON.stringify(spec.workload ?? {});
      if (manifestsOf.get(key) === manifests) continue; // only a report
      manifestsOf.set(key, manifests);
      images.set(key, /"image":"([^"]+)"/.exec(manifests)?.[1] ?? '');
      written.set(key, lastChangeAt);
      lastWork = JSON.stringify(event.object);
    }
  })();
  return {
    settled: (image) => (image === undefined ? available.size : [...available].filter((key) => images.get(key) === image).length),
    writtenAt: () => [...written.values()],
    workText: () => lastWork,
    lastChangeAt: () => lastChangeAt,
    reset: () => written.clear(),
  };
}
