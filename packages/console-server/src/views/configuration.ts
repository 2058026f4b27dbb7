import type { AddOnDeploymentConfig, ClusterManagementAddOn, ManagedClusterAddOn } from '@outrigger/api';
import { isJsonObject } from '@outrigger/core';
import type { ConfigurationLayer, ObjectLink, ProvenanceValue } from '@outrigger/console-contract';
import { type ConfigRef, isDeploymentConfig, refKey, toRef } from '@outrigger/rules/configuration';
import { projectAddOn } from '@outrigger/rules/observed';
import { type ClusterPlace, type ConfigLayer, type LayeredRef, configLayers, effectiveRefs, isUserOwned } from '@outrigger/rules/strategy';

export interface ConfigurationQuestion {
  /** The declaration; undefined if the user may not read it. */
  readonly managementAddOn: ClusterManagementAddOn | undefined;
  /** The cluster whose configuration the view shows; undefined for the configuration of every entry. */
  readonly place?: ClusterPlace;
}

/** Returns the configurations of an add-on by layer, and which of them are in force. */
export function configurationLayers(question: ConfigurationQuestion): readonly ConfigurationLayer[] {
  const inForce = new Set(stacks(question).flatMap(({ refs }) => refs.map(keyIn)));
  return layersOf(question)
    .filter(({ refs }) => refs.length > 0)
    .map((layer) => ({
      layer: layer.type,
      of: layer.of,
      configs: layer.refs.map((ref) => ({
        resource: ref.resource,
        object: linkOf(ref),
        isInForce: inForce.has(keyIn({ ...ref, layer })),
      })),
    }));
}

function layersOf({ managementAddOn, place }: ConfigurationQuestion): readonly ConfigLayer[] {
  if (managementAddOn !== undefined) return configLayers(managementAddOn, place);
  return place?.installed === undefined ? [] : [ownLayer(place.installed)];
}

/**
 * Returns the only layer that a user without permission to read the declaration sees: the configs that a user set for the add-on on the
 * cluster.
 */
function ownLayer(installed: ManagedClusterAddOn): ConfigLayer {
  const clusterAddOn = projectAddOn(installed, (value) => value);
  const refs = isUserOwned(clusterAddOn, 'configs') ? (clusterAddOn.spec.configs ?? []).map(toRef) : [];
  return { type: 'cluster', of: installed.metadata.namespace ?? '', refs };
}

interface Stack {
  /** The entry to which the references apply; empty if the view shows one cluster, or if there are no entries. */
  readonly scope: string;
  readonly refs: readonly LayeredRef<ConfigLayer>[];
}

/** Returns the references in force: those of the cluster, or those of each entry. */
function stacks(question: ConfigurationQuestion): readonly Stack[] {
  const layers = layersOf(question);
  const entries = layers.filter(({ type }) => type === 'entry');
  if (question.place !== undefined || entries.length === 0) return [{ scope: '', refs: effectiveRefs(layers) }];
  const defaults = layers.filter(({ type }) => type === 'default');
  return entries.map((entry) => ({ scope: entry.of, refs: effectiveRefs([...defaults, entry]) }));
}

function keyIn({ layer, ...ref }: LayeredRef<ConfigLayer>): string {
  return `${layer.type}/${layer.of}/${refKey(ref)}`;
}

/** Returns the values in the configs that were read, or the reason why they could not be read. */
export function valuesOf(
  question: ConfigurationQuestion,
  configs: readonly AddOnDeploymentConfig[] | { readonly problem: string },
): { readonly values: readonly ProvenanceValue[]; readonly valuesProblem?: string } {
  return 'problem' in configs ? { values: [], valuesProblem: configs.problem } : { values: provenanceOf(question, configs) };
}

/** Returns each value in the deployment configs in force, with the layer that sets it. */
function provenanceOf(question: ConfigurationQuestion, configs: readonly AddOnDeploymentConfig[]): readonly ProvenanceValue[] {
  const byKey = new Map(configs.map(({ metadata, spec }) => [`${metadata.namespace ?? ''}/${metadata.name ?? ''}`, spec]));
  const used = new Map<string, { readonly ref: LayeredRef<ConfigLayer>; readonly scopes: string[] }>();
  for (const { scope, refs } of stacks(question)) {
    const ref = refs.find(isDeploymentConfig);
    if (ref === undefined) continue;
    const key = keyIn(ref);
    const found = used.get(key) ?? { ref, scopes: [] };
    found.scopes.push(scope);
    used.set(key, found);
  }
  return [...used.values()].flatMap(({ ref, scopes }) => {
    const spec = byKey.get(`${ref.namespace}/${ref.name}`);
    const values = spec === undefined ? [] : leaves(spec, '');
    return values.map(({ path, value }) => ({
      path,
      value,
      layer: ref.layer.type,
      of: ref.layer.of,
      scope: scopes.filter((scope) => scope !== '').join(', '),
      object: linkOf(ref),
    }));
  });
}

interface Leaf {
  readonly path: string;
  readonly value: string;
}

/** Returns the values in an object by path. List items with a name are identified by their name. */
function leaves(value: unknown, path: string): readonly Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => itemLeaves(item, index, path));
  if (isJsonObject(value)) return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`));
  return [{ path, value: typeof value === 'string' ? value : JSON.stringify(value) }];
}

function itemLeaves(item: unknown, index: number, path: string): readonly Leaf[] {
  if (!isJsonObject(item) || typeof item['name'] !== 'string') return leaves(item, `${path}[${index}]`);
  const { name, ...rest } = item;
  const keys = Object.keys(rest);
  return keys.length === 1 && 'value' in rest ? leaves(rest['value'], `${path}.${name}`) : leaves(rest, `${path}.${name}`);
}

function linkOf({ group, resource, namespace, name }: ConfigRef): ObjectLink {
  return { group, version: group === '' ? 'v1' : 'v1alpha1', resource, name, ...(namespace === '' ? {} : { namespace }) };
}
