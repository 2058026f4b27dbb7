import type { ApplyVersions, KubeObject } from '@outrigger/core';
import type { RemoteConversion } from '../../registry/resource.js';

/** Thrown to stop a run that needs a conversion that has not been fetched yet. */
class NotFetched extends Error {
  override readonly name = 'NotFetched';
}

/**
 * Runs a synchronous computation that needs conversions by a webhook. If a conversion is missing, it is fetched and the computation runs
 * again. Objects are identified by content, because every run creates new objects.
 */
export async function fetchingConversions<T>(remote: RemoteConversion, run: (convert: ApplyVersions['convert']) => T): Promise<T> {
  const known = new Map<string, unknown>();
  for (;;) {
    let missing: { readonly key: string; readonly object: unknown; readonly apiVersion: string } | undefined;
    try {
      return run((object, apiVersion) => {
        const key = `${apiVersion} ${JSON.stringify(object)}`;
        const found = known.get(key);
        if (found !== undefined) return found as typeof object;
        missing = { key, object, apiVersion };
        throw new NotFetched();
      });
    } catch (error) {
      if (!(error instanceof NotFetched) || !missing) throw error;
    }
    known.set(missing.key, await remote.convert(missing.object as KubeObject, missing.apiVersion));
  }
}
