import {
  ADDON_GROUP,
  type AddOnDeploymentConfig,
  type AddOnDeploymentConfigSpec,
  type ClusterManagementAddOn,
  addOnDeploymentConfigs,
  managedClusterAddOns,
} from '@outrigger/api';
import { type JsonObject, asJson, isApiError, keyOf, shell, nameOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { DEPLOYMENT_CONFIG_RESOURCE, type ConfigRef, isDeploymentConfig, refKey, toRef } from '@outrigger/rules/configuration';
import { suggestion } from '@outrigger/rules/explanation';
import { CommandError, EXIT, notFound, usageError } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { effectiveDeploymentConfig, namedLayers } from '../../fleet/config-layers.js';
import { defaultConfigOperations } from '../../fleet/declared-version.js';
import { patchDeclaration } from '../../fleet/declaration.js';
import { find, listOf } from '../../fleet/objects.js';
import { pinField } from '../../fleet/pins.js';
import { nextStep } from '../../fleet/rollouts.js';
import { requireStayingAddOn, requireStayingDeclaration } from '../../fleet/staying.js';
import type { CommandContext } from '../context.js';
import type { ConfigSetOptions } from './command.js';
import { type AddOnLayers, readLayers } from './layers-of.js';

type Request = ConnectionOptions & ConfigSetOptions & { readonly addOn: string; readonly settings: readonly string[] };

/** A change to one variable. An undefined value removes the variable. */
interface Setting {
  readonly name: string;
  readonly value: string | undefined;
}

/** The namespace of the configs that this command creates for the whole fleet. */
const CONFIG_NAMESPACE = 'default';

export async function configSet(context: CommandContext, request: Request): Promise<void> {
  const settings = request.settings.map(readSetting);
  requireVariables(settings, request);
  const { addOn, cluster, config } = request;
  if (cluster !== undefined && config !== undefined)
    throw usageError('--config names a config of the fleet, and --cluster gives the cluster one of its own: use one of them');
  await withHub(context, request, async (hub) => {
    const found = await readLayers(hub, addOn, cluster);
    const message =
      cluster === undefined ? await setInFleet(hub, found, request, settings) : await setOnCluster(hub, found, cluster, settings);
    context.terminal.out(`${message}\n`);
  });
}

function readSetting(text: string): Setting {
  const [, name, value] = /^([a-zA-Z_][_a-zA-Z0-9]*)=([\s\S]*)$/.exec(text) ?? [];
  if (name !== undefined) return { name, value: value ?? '' };
  const [, removed] = /^([a-zA-Z_][_a-zA-Z0-9]*)-$/.exec(text) ?? [];
  if (removed !== undefined) return { name: removed, value: undefined };
  throw usageError(`"${text}": write KEY=VALUE, or KEY- to remove a variable; a name has letters, digits and _`);
}

/**
 * Fails if a variable is set twice, or has the name of a field of AddOnDeploymentConfig, because `config get` lists fields and variables
 * together.
 */
function requireVariables(settings: readonly Setting[], { addOn, cluster }: Request): void {
  const get = cluster === undefined ? shell`outrigger config get ${addOn}` : shell`outrigger config get ${addOn} --cluster ${cluster}`;
  for (const [index, { name }] of settings.entries()) {
    if (settings.findIndex((one) => one.name === name) !== index) throw usageError(`${name} is given twice: write it once`);
    if (Object.hasOwn(DEPLOYMENT_CONFIG_FIELDS, name))
      throw usageError(
        `${name} is a field of AddOnDeploymentConfig and not a variable: change it in the AddOnDeploymentConfig, which \`${get}\` names`,
      );
  }
}

const DEPLOYMENT_CONFIG_FIELDS: Readonly<Record<Exclude<keyof AddOnDeploymentConfigSpec, symbol | number>, true>> = {
  agentInstallNamespace: true,
  customizedVariables: true,
  nodePlacement: true,
  proxyConfig: true,
  registries: true,
  resourceRequirements: true,
};

/** Changes the config that the declaration references. The change reaches the clusters through the add-on's rollout. */
async function setInFleet(
  hub: Client,
  { managementAddOn, others }: AddOnLayers,
  request: Request,
  settings: readonly Setting[],
): Promise<string> {
  const name = nameOf(managementAddOn);
  requireStayingDeclaration(managementAddOn);
  const ref = chosenConfig(managementAddOn, request);
  if (!ref) return createForFleet(hub, managementAddOn, settings);
  const key = { namespace: ref.namespace, name: ref.name };
  const config = await find(hub, addOnDeploymentConfigs, key);
  if (!config)
    throw notFound(`${name} references AddOnDeploymentConfig ${ref.namespace}/${ref.name}, which does not exist: create it first`);
  requireRemovable(name, config, settings);
  await hub.patch(addOnDeploymentConfigs, key, { type: 'merge', patch: variablesPatch(config, settings) });
  const sharing = others.filter((one) => namedLayers(one).some(({ refs }) => refs.some((other) => refKey(other) === refKey(ref))));
  const beside = sharing.length === 0 ? '' : `; ${sharing.map(nameOf).join(', ')} uses the same config`;
  return `AddOnDeploymentConfig ${ref.namespace}/${ref.name} is changed${beside}${await nextStep(hub, name)}`;
}

function chosenConfig(managementAddOn: ClusterManagementAddOn, { config, addOn }: Request): ConfigRef | undefined {
  const configs = [...new Map(configsOf(managementAddOn).map((ref) => [placeOf(ref), ref])).entries()];
  if (config !== undefined) {
    const found = configs.find(([name]) => name === config)?.[1];
    if (!found)
      throw notFound(
        `${addOn} references no AddOnDeploymentConfig ${config}: it references ${configs.map(([name]) => name).join(', ') || 'none'}`,
      );
    return found;
  }
  if (configs.length > 1)
    throw usageError(`the entries of ${addOn} use different configs: add --config with one of ${configs.map(([name]) => name).join(', ')}`);
  return configs[0]?.[1];
}

/** Returns the AddOnDeploymentConfigs that the declaration and its entries reference. */
function configsOf(managementAddOn: ClusterManagementAddOn): readonly ConfigRef[] {
  return namedLayers(managementAddOn).flatMap(({ refs }) => refs.filter(isDeploymentConfig));
}

function placeOf({ namespace, name }: ConfigRef): string {
  return `${namespace}/${name}`;
}

async function createForFleet(hub: Client, managementAddOn: ClusterManagementAddOn, settings: readonly Setting[]): Promise<string> {
  const name = nameOf(managementAddOn);
  requireRemovable(name, undefined, settings);
  const metadata = { namespace: CONFIG_NAMESPACE, name };
  if (await find(hub, addOnDeploymentConfigs, metadata))
    throw new CommandError(
      `AddOnDeploymentConfig ${CONFIG_NAMESPACE}/${name} exists and ${name} does not reference it: reference it in spec.supportedConfigs first`,
      EXIT.failed,
    );
  const kind = { group: ADDON_GROUP, resource: DEPLOYMENT_CONFIG_RESOURCE };
  await createReferenced(hub, newConfig(metadata, undefined, settings), () =>
    patchDeclaration(hub, name, (current) => {
      const [other] = configsOf(current);
      if (other)
        throw new CommandError(`${name} references AddOnDeploymentConfig ${placeOf(other)} since a moment ago: try again`, EXIT.failed);
      return defaultConfigOperations(current, kind, metadata);
    }),
  );
  return `AddOnDeploymentConfig ${CONFIG_NAMESPACE}/${name} is created, and ${name} references it${await nextStep(hub, name)}`;
}

/**
 * Sets variables on one cluster. If the cluster has no config of its own, creates one with the current values and the changes. Like every
 * override, the config takes effect immediately.
 */
async function setOnCluster(
  hub: Client,
  { managementAddOn, installed, layers }: AddOnLayers,
  cluster: string,
  settings: readonly Setting[],
): Promise<string> {
  const name = nameOf(managementAddOn);
  if (!installed) throw notFound(`${name} is not on ${cluster}: \`${shell`outrigger why ${name} --cluster ${cluster}`}\``);
  requireStayingAddOn(installed);
  const now = effectiveDeploymentConfig(layers);
  const own = { namespace: cluster, name };
  const isOwn = now?.namespace === cluster && now.name === name;
  const base = now && (await find(hub, addOnDeploymentConfigs, { namespace: now.namespace, name: now.name }));
  requireRemovable(`${name} on ${cluster}`, base, settings);
  if (isOwn && base) {
    const sharing = (await listOf(hub, managedClusterAddOns, cluster)).filter(
      (one) => nameOf(one) !== name && (one.spec.configs ?? []).some((ref) => refKey(toRef(ref)) === refKey(now)),
    );
    await hub.patch(addOnDeploymentConfigs, own, { type: 'merge', patch: variablesPatch(base, settings) });
    const users = sharing.length === 0 ? `only ${name} on ${cluster} uses it` : `${sharing.map(nameOf).join(', ')} uses the same config`;
    return `AddOnDeploymentConfig ${cluster}/${name} is changed; ${users}`;
  }
  // A config that an earlier override left behind may hold values that the add-on does not have now, and other add-ons may use it.
  if (!isOwn && (await find(hub, addOnDeploymentConfigs, own)))
    throw new CommandError(
      `AddOnDeploymentConfig ${cluster}/${name} exists and ${name} on ${cluster} does not reference it: reference it in spec.configs of the ManagedClusterAddOn, or delete it with \`${shell`kubectl delete ${addOnDeploymentConfigs.plural}.${ADDON_GROUP} ${name} --namespace ${cluster}`}\``,
      EXIT.failed,
    );
  const kept = (installed.spec.configs ?? []).filter((ref) => !isDeploymentConfig(toRef(ref)));
  const configs = [...kept, { group: ADDON_GROUP, resource: DEPLOYMENT_CONFIG_RESOURCE, ...own }];
  await createReferenced(hub, newConfig(own, base, settings), () => pinField(hub, installed, 'configs', configs));
  return `${name} on ${cluster} uses AddOnDeploymentConfig ${cluster}/${name} from now on, with the values that it had and the changes; \`${shell`outrigger config get ${name} --cluster ${cluster}`}\` shows them`;
}

/**
 * Creates a config and then its reference. If the hub refuses the reference, deletes the config, because a second try would find a config
 * that the add-on does not reference.
 */
async function createReferenced(hub: Client, config: AddOnDeploymentConfig, reference: () => Promise<unknown>): Promise<void> {
  const { metadata } = await hub.create(addOnDeploymentConfigs, config);
  try {
    await reference();
  } catch (error) {
    const precondition = { uid: metadata.uid ?? '' };
    if (error instanceof CommandError || isApiError(error))
      await hub.delete(addOnDeploymentConfigs, keyOf(config), { precondition }).catch(() => undefined);
    throw error;
  }
}

/**
 * Fails if a variable that is to be removed does not exist. Without this check, a misspelt name would create a config, or start a rollout,
 * that changes nothing.
 */
function requireRemovable(where: string, config: AddOnDeploymentConfig | undefined, settings: readonly Setting[]): void {
  const known = (config?.spec?.customizedVariables ?? []).map(({ name }) => name);
  const missing = settings.find(({ name, value }) => value === undefined && !known.includes(name));
  if (missing) throw notFound(`${where} has no variable "${missing.name}"${suggestion(missing.name, known)}: nothing is changed`);
}

function newConfig(
  metadata: { readonly namespace: string; readonly name: string },
  base: AddOnDeploymentConfig | undefined,
  settings: readonly Setting[],
): AddOnDeploymentConfig {
  // An empty namespace keeps the add-on's agent in the namespace that the template sets. If the field were absent, the API server's default
  // value would replace this namespace.
  const spec = base?.spec ?? { agentInstallNamespace: '' };
  return {
    apiVersion: `${ADDON_GROUP}/v1alpha1`,
    kind: 'AddOnDeploymentConfig',
    metadata,
    spec: { ...spec, customizedVariables: changed(spec.customizedVariables ?? [], settings) },
  };
}

type Variables = NonNullable<NonNullable<AddOnDeploymentConfig['spec']>['customizedVariables']>;

function variablesPatch(config: AddOnDeploymentConfig, settings: readonly Setting[]): JsonObject {
  const { resourceVersion = '' } = config.metadata;
  const customizedVariables = asJson(changed(config.spec?.customizedVariables ?? [], settings));
  return { metadata: { name: keyOf(config).name, resourceVersion }, spec: { customizedVariables } };
}

function changed(before: Variables, settings: readonly Setting[]): Variables {
  const values = new Map(before.map(({ name, value }) => [name, value]));
  for (const { name, value } of settings) {
    if (value === undefined) values.delete(name);
    else values.set(name, value);
  }
  return [...values].map(([name, value]) => (value === undefined ? { name } : { name, value }));
}
