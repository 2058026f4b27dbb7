import { type ClusterManagementAddOn, type ManagedClusterAddOn, rolloutEntryName } from '@outrigger/api';
import type { ConfigurationLayer, ObjectLink } from '@outrigger/console-contract';

interface ConfigName {
  readonly group?: string;
  readonly resource: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** The configurations of an add-on by layer; with `installed`, those that apply on its cluster, and which of them are in force there. */
export function configurationLayers(
  declaration: ClusterManagementAddOn | undefined,
  entries?: readonly string[],
  installed?: ManagedClusterAddOn,
): readonly ConfigurationLayer[] {
  const layers: { readonly layer: ConfigurationLayer['layer']; readonly of: string; readonly configs: readonly ConfigName[] }[] = [
    {
      layer: 'default',
      of: '',
      configs: (declaration?.spec.supportedConfigs ?? []).flatMap(({ group, resource, defaultConfig }) =>
        defaultConfig === undefined ? [] : [{ ...(group === undefined ? {} : { group }), resource, ...defaultConfig }],
      ),
    },
    ...(declaration?.spec.installStrategy?.placements ?? [])
      .filter((entry) => entries === undefined || entries.includes(rolloutEntryName(entry)))
      .map((entry) => ({ layer: 'entry' as const, of: rolloutEntryName(entry), configs: entry.configs ?? [] })),
    ...(installed === undefined
      ? []
      : [{ layer: 'cluster' as const, of: installed.metadata.namespace ?? '', configs: installed.spec.configs ?? [] }]),
  ];
  const inForce = new Set((installed?.status?.configReferences ?? []).map((one) => idOf({ ...one, ...one.desiredConfig })));
  return layers
    .filter(({ configs }) => configs.length > 0)
    .map(({ layer, of, configs }) => ({
      layer,
      of,
      configs: configs.map((config) => ({
        resource: config.resource,
        object: linkOf(config),
        isInForce: installed === undefined ? isLastOfKind(layers, layer, config) : inForce.has(idOf(config)),
      })),
    }));
}

function isLastOfKind(
  layers: readonly { readonly layer: string; readonly configs: readonly ConfigName[] }[],
  layer: string,
  { group = '', resource }: ConfigName,
): boolean {
  const rank = ['default', 'entry', 'cluster'];
  return !layers.some(
    (other) =>
      rank.indexOf(other.layer) > rank.indexOf(layer) &&
      other.configs.some((one) => (one.group ?? '') === group && one.resource === resource),
  );
}

function idOf({ group = '', resource, namespace = '', name = '' }: ConfigName): string {
  return [group, resource, namespace, name].join('/');
}

function linkOf({ group = '', resource, namespace, name = '' }: ConfigName): ObjectLink {
  return { group, version: group === '' ? 'v1' : 'v1alpha1', resource, name, ...(namespace ? { namespace } : {}) };
}
