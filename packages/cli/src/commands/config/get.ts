import { type AddOnDeploymentConfig, addOnDeploymentConfigs, configName } from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { type ConfigRef, isDeploymentConfig } from '@outrigger/rules/configuration';
import { effectiveRefs } from '@outrigger/rules/strategy';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import type { NamedLayer } from '../../fleet/config-layers.js';
import { find } from '../../fleet/objects.js';
import { formatValue } from '../../terminal/format.js';
import { type TableColumn, table } from '../../terminal/table.js';
import { tableWidth } from '../../terminal/terminal.js';
import type { CommandContext } from '../context.js';
import type { ConfigGetOptions } from './command.js';
import { readLayers } from './layers-of.js';

/** One value of the configuration and its source. */
export interface ConfigValue {
  /** The name of a variable, a field of AddOnDeploymentConfig, or a kind of config. */
  readonly key: string;
  readonly value: string;
  readonly layer: string;
  /** The config, as `<resource>/[<namespace>/]<name>`. */
  readonly from: string;
}

const COLUMNS: readonly TableColumn<ConfigValue>[] = [
  { title: 'KEY', cell: ({ key }) => key, isShortened: true },
  { title: 'VALUE', cell: ({ value }) => value, isShortened: true },
  { title: 'LAYER', cell: ({ layer }) => layer, isShortened: true },
  { title: 'FROM', cell: ({ from }) => from, isShortened: true },
];

export async function configGet(
  context: CommandContext,
  request: ConnectionOptions & ConfigGetOptions & { readonly addOn: string },
): Promise<void> {
  const { terminal } = context;
  const { addOn, cluster, output } = request;
  const values = await withHub(context, request, async (hub) => {
    const { layers } = await readLayers(hub, addOn, cluster);
    const refs = cluster === undefined ? layers.flatMap(eachRef) : effectiveRefs(layers).map((ref) => ({ ref, layer: ref.layer.name }));
    return (await Promise.all(refs.map(({ ref, layer }) => valuesOf(hub, ref, layer)))).flat();
  });
  if (output !== 'text') return terminal.out(formatValue({ addOn, ...(cluster === undefined ? {} : { cluster }), values }, output));
  if (values.length === 0) return terminal.note(`no config is referenced for ${addOn}\n`);
  terminal.out(table(COLUMNS, values, { style: terminal.style, width: tableWidth(terminal) }));
}

function eachRef({ name, refs }: NamedLayer): readonly { readonly ref: ConfigRef; readonly layer: string }[] {
  return refs.map((ref) => ({ ref, layer: name }));
}

async function valuesOf(hub: Client, ref: ConfigRef, layer: string): Promise<readonly ConfigValue[]> {
  const from = configName({ resource: ref.resource, name: ref.name, ...(ref.namespace === '' ? {} : { namespace: ref.namespace }) });
  if (!isDeploymentConfig(ref)) return [{ key: ref.resource, value: ref.name, layer, from }];
  const found = await find(hub, addOnDeploymentConfigs, { namespace: ref.namespace, name: ref.name });
  return found ? deploymentValues(found, layer, from) : [{ key: ref.resource, value: 'does not exist', layer, from }];
}

function deploymentValues({ spec }: AddOnDeploymentConfig, layer: string, from: string): readonly ConfigValue[] {
  const { customizedVariables = [], ...fields } = spec ?? {};
  return [
    ...customizedVariables.map(({ name, value = '' }) => ({ key: name, value, layer, from })),
    ...Object.entries(fields).map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? value : JSON.stringify(value),
      layer,
      from,
    })),
  ];
}
