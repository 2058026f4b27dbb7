import { type JsonObject, isJsonObject, parseApiVersion } from '@outrigger/core';
import { DEFAULT_INSTALL_NAMESPACE } from '../constants.js';

/**
 * Returns the namespace of the agent in the author's manifests: that of the first Deployment, otherwise of the first DaemonSet, otherwise
 * of the first StatefulSet.
 */
export function authoredNamespace(manifests: readonly JsonObject[]): string {
  for (const kind of ['Deployment', 'DaemonSet', 'StatefulSet']) {
    const workload = manifests.find(
      (manifest) => manifest['kind'] === kind && parseApiVersion(String(manifest['apiVersion'] ?? '')).group === 'apps',
    );
    const metadata = workload?.['metadata'];
    const namespace = isJsonObject(metadata) ? metadata['namespace'] : undefined;
    if (typeof namespace === 'string' && namespace !== '') return namespace;
  }
  return DEFAULT_INSTALL_NAMESPACE;
}
