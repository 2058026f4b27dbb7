import { type JsonObject, isJsonObject, parseApiVersion } from '@outrigger/core';
import { DEFAULT_INSTALL_NAMESPACE } from '../constants.js';

/**
 * Returns the namespace of the add-on's agent in the author's manifests. It is the namespace of the first Deployment; if there is none,
 * that of the first DaemonSet, and then that of the first StatefulSet. Without any of these it is the default install namespace.
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
