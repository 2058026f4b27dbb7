import { ADDON_NAME_LABEL, DEFAULT_INSTALL_NAMESPACE } from '@outrigger/api';
import { isJsonObject } from '@outrigger/core';
import type { Decision } from '@outrigger/kube';
import { installNamespaceOf } from '../registration/specs.js';
import type { ClusterAddOnProjection } from '../resources/add-ons.js';
import type { WorkProjection } from '../resources/works.js';

export interface InstallNamespacesState {
  readonly clusterAddOns: readonly ClusterAddOnProjection[];
  readonly works: readonly WorkProjection[];
  /** The names of the namespaces that are known to exist. */
  readonly existing: ReadonlySet<string>;
}

/** The input of the effect that creates a namespace if it does not exist. */
export interface EnsureInput {
  readonly name: string;
}

export type InstallNamespacesEffects = { readonly ensure: EnsureInput };

/**
 * Creates the default install namespace, and the install namespace of each add-on whose works need it but do not create it. A namespace
 * that a work creates belongs to the work and is deleted with it. Never deletes or changes a namespace.
 */
export function decide({ clusterAddOns, works, existing }: InstallNamespacesState): Decision<never, InstallNamespacesEffects> {
  const needed = clusterAddOns
    .filter(({ isDeleting }) => !isDeleting)
    .map((clusterAddOn) => ({ name: installNamespaceOf(clusterAddOn), manifests: manifestsOf(clusterAddOn, works) }))
    .filter(({ name, manifests }) => manifests.some((one) => isIn(one, name)) && !manifests.some((one) => isNamespace(one, name)));
  const wanted = new Set([DEFAULT_INSTALL_NAMESPACE, ...needed.map(({ name }) => name)]);
  const missing = [...wanted].filter((name) => !existing.has(name));
  if (missing.length === 0) return { stages: [] };
  return {
    stages: [missing.map((name) => ({ type: 'effect', effect: 'ensure', id: `namespace/${name}`, input: { name } }))],
  };
}

function manifestsOf({ key }: ClusterAddOnProjection, works: readonly WorkProjection[]): readonly unknown[] {
  return works
    .filter(({ labels, isDeleting }) => !isDeleting && labels[ADDON_NAME_LABEL] === key.name)
    .flatMap(({ spec }) => spec.workload?.manifests ?? []);
}

function isIn(manifest: unknown, namespace: string): boolean {
  return isJsonObject(manifest) && isJsonObject(manifest['metadata']) && manifest['metadata']['namespace'] === namespace;
}

function isNamespace(manifest: unknown, name: string): boolean {
  if (!isJsonObject(manifest) || manifest['apiVersion'] !== 'v1' || manifest['kind'] !== 'Namespace') return false;
  return isJsonObject(manifest['metadata']) && manifest['metadata']['name'] === name;
}
