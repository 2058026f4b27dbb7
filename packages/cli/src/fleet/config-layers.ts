import type { ClusterManagementAddOn } from '@outrigger/api';
import { type ConfigRef, isDeploymentConfig } from '@outrigger/rules/configuration';
import { type ClusterPlace, type ConfigLayer, type LayeredRef, configLayers, effectiveRefs } from '@outrigger/rules/strategy';

/** A source of an add-on's config references, as the commands print it. */
export interface NamedLayer {
  /** The display name: `declaration`, `entry default/canary`, `override on cluster1`. */
  readonly name: string;
  readonly refs: readonly ConfigRef[];
}

/** Returns the layers of an add-on that have references, lowest precedence first. */
export function namedLayers(managementAddOn: ClusterManagementAddOn, place?: ClusterPlace): readonly NamedLayer[] {
  return configLayers(managementAddOn, place)
    .map((layer) => ({ name: nameOfLayer(layer), refs: layer.refs }))
    .filter(({ refs }) => refs.length > 0);
}

function nameOfLayer({ type, of }: ConfigLayer): string {
  switch (type) {
    case 'default':
      return 'declaration';
    case 'entry':
      return `entry ${of}`;
    case 'cluster':
      return `override on ${of}`;
  }
}

/** Returns the effective AddOnDeploymentConfig, with the layer that references it. */
export function effectiveDeploymentConfig(layers: readonly NamedLayer[]): LayeredRef<NamedLayer> | undefined {
  return effectiveRefs(layers).find(isDeploymentConfig);
}
