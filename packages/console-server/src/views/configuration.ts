import type { AddOnDeploymentConfig, ClusterManagementAddOn, ManagedClusterAddOn } from '@outrigger/api';
import { isJsonObject } from '@outrigger/core';
import type { ConfigurationLayer, ObjectLink, ProvenanceValue } from '@outrigger/console-contract';
import { type ConfigRef, isDeploymentConfig, layered, refKey, toRef, unusedRefs } from '@outrigger/rules/configuration';
import { projectAddOn } from '@outrigger/rules/observed';
import { defaultConfigs, entriesOf, isPersons } from '@outrigger/rules/strategy';

/** A reference with the layer that contains it. */
interface LayeredRef extends ConfigRef {
  readonly layer: ConfigurationLayer['layer'];
  /** The entry or the cluster; `''` for the default. */
  readonly of: string;
}

type Layer = readonly LayeredRef[];

export interface ConfigurationQuestion {
  readonly managementAddOn: ClusterManagementAddOn | undefined;
  /** The entries to show; undefined means all entries. */
  readonly entries?: readonly string[];
  /** If set, the result includes the configuration on this add-on's cluster. */
  readonly installed?: ManagedClusterAddOn | undefined;
}

/** Returns the configurations of an add-on by layer, and which of them are in force. */
export function configurationLayers(question: ConfigurationQuestion): readonly ConfigurationLayer[] {
  const layers = layersOf(question);
  const { defaults, entries, own } = layers;
  const inForce = new Set(stacks(question, layers).flatMap(({ refs }) => refs));
  return [defaults, ...entries, own]
    .filter((layer) => layer.length > 0)
    .map((layer) => ({
      layer: layer[0]?.layer ?? 'default',
      of: layer[0]?.of ?? '',
      configs: layer.map((ref) => ({ resource: ref.resource, object: linkOf(ref), isInForce: inForce.has(ref) })),
    }));
}

interface Layers {
  readonly defaults: Layer;
  readonly entries: readonly Layer[];
  readonly own: Layer;
}

function layersOf({ managementAddOn, entries, installed }: ConfigurationQuestion): Layers {
  const tagged = (refs: readonly ConfigRef[], layer: LayeredRef['layer'], of: string): Layer => refs.map((ref) => ({ ...ref, layer, of }));
  const { spec = {} } = managementAddOn ?? {};
  const isOwn =
    installed !== undefined &&
    isPersons(
      projectAddOn(installed, (value) => value),
      'configs',
    );
  return {
    defaults: tagged(defaultConfigs(spec), 'default', ''),
    entries: entriesOf(spec)
      .filter(({ name }) => entries === undefined || entries.includes(name))
      .map(({ name, configs }) => tagged(configs, 'entry', name)),
    own: isOwn ? tagged((installed.spec.configs ?? []).map(toRef), 'cluster', installed.metadata.namespace ?? '') : [],
  };
}

/**
 * Returns the references in force for each entry. Layers of higher precedence replace lower ones, and of several references of a kind the
 * first is used. The result contains the same instances as `layers`, so that callers can look them up.
 */
function stacks(
  question: ConfigurationQuestion,
  { defaults, entries, own }: Layers = layersOf(question),
): readonly { readonly scope: string; readonly refs: readonly LayeredRef[] }[] {
  const stack = (scope: string, layers: readonly Layer[]): { readonly scope: string; readonly refs: readonly LayeredRef[] } => {
    const refs = layered(layers);
    const unused = new Set<ConfigRef>(unusedRefs(refs));
    return { scope, refs: refs.filter((ref) => !unused.has(ref)) };
  };
  const names = entriesOf(question.managementAddOn?.spec ?? {}).map(({ name }) => name);
  const shown = question.entries ?? names;
  if (entries.length === 0) return [stack('', [defaults, own])];
  return entries.map((layer, index) => stack(layer[0]?.of ?? shown[index] ?? '', [defaults, layer, own]));
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
  const used = new Map<string, { readonly ref: LayeredRef; readonly scopes: string[] }>();
  for (const { scope, refs } of stacks(question)) {
    const ref = refs.find(isDeploymentConfig);
    if (ref === undefined) continue;
    const key = `${ref.layer}/${ref.of}/${refKey(ref)}`;
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
      layer: ref.layer,
      of: ref.of,
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
