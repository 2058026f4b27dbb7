import { managedClusterAddOns, clusterManagementAddOns } from '@outrigger/api';
import { type JsonObject, type Kind, type KubeObject, type Logger, deepEqual, isApiError, isJsonObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import {
  type WebhookEndpoint,
  clientConfig,
  mutatingConfiguration,
  mutatingWebhookConfigurations,
  validatingConfiguration,
  validatingWebhookConfigurations,
} from './configurations.js';
import { WEBHOOK_PATHS } from './respond.js';

const CRDS: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** Of two replicas the last one to tell is right: they tell the same. */
const APPLY = { force: true, fieldManager: 'outrigger-hub' } as const;

/** On definitions whose conversion is our doing: it goes when we go. */
const CONVERTS_ANNOTATION = 'outrigger.dev/converts';

/** Kinds whose versions differ, so that somebody must convert between them. */
const CONVERTED: readonly Kind[] = [clusterManagementAddOns, managedClusterAddOns];

/**
 * Tells the API server where the webhooks are and by what to trust them: admission, and the conversion to v1beta1, which is served from
 * then on. Whoever else converts on this hub goes on doing it.
 */
export async function publishWebhooks(client: Client, endpoint: WebhookEndpoint, log: Logger): Promise<void> {
  await client.apply(validatingWebhookConfigurations, validatingConfiguration(endpoint), APPLY);
  await client.apply(mutatingWebhookConfigurations, mutatingConfiguration(endpoint), APPLY);
  for (const kind of CONVERTED) await publishConversion(client, kind, endpoint, log);
}

async function publishConversion(client: Client, kind: Kind, endpoint: WebhookEndpoint, log: Logger): Promise<void> {
  const key = { name: `${kind.plural}.${kind.group}` };
  try {
    const definition = (await client.get(CRDS, key)) as Definition;
    const spec = conversionPatch(definition, endpoint);
    if (spec) await change(client, definition, 'true', spec);
  } catch (error) {
    // Another replica publishes the same; without the right to, only v1beta1 is missing.
    if (!isApiError(error, 'Conflict') && !isApiError(error, 'Forbidden')) throw error;
    log.info({ definition: key.name, error: error.message }, 'conversion is not published');
  }
}

/** Undoes `publishWebhooks` for conversion: an API server that asks a webhook nobody serves cannot even list. Returns whose it was. */
export async function withdrawConversion(client: Client): Promise<readonly string[]> {
  const withdrawn: string[] = [];
  for (const { plural, group } of CONVERTED) {
    const name = `${plural}.${group}`;
    const definition = await find(client, name);
    if (definition?.metadata.annotations?.[CONVERTS_ANNOTATION] === undefined) continue;
    const versions = (definition.spec?.versions ?? []).map((version) => ({ ...version, served: version['storage'] === true }));
    await change(client, definition, null, { conversion: { strategy: 'None', webhook: null }, versions });
    withdrawn.push(name);
  }
  return withdrawn;
}

/** A definition as it may be applied over the one that stands: what our webhook converts stays served. */
export function keepingConversion<T extends KubeObject>(wanted: T, standing: KubeObject | undefined): T {
  if (standing?.metadata.annotations?.[CONVERTS_ANNOTATION] === undefined) return wanted;
  const { spec } = wanted as unknown as Definition;
  return { ...wanted, spec: { ...spec, versions: (spec?.versions ?? []).map((version) => ({ ...version, served: true })) } };
}

async function find(client: Client, name: string): Promise<Definition | undefined> {
  try {
    return await client.get(CRDS, { name });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function change(client: Client, { metadata }: Definition, mark: string | null, spec: JsonObject): Promise<void> {
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  const patch = { metadata: { uid, resourceVersion, annotations: { [CONVERTS_ANNOTATION]: mark } }, spec };
  await client.patch(CRDS, { name }, { type: 'merge', patch });
}

interface Definition extends KubeObject {
  readonly spec?: {
    readonly conversion?: { readonly strategy?: string; readonly webhook?: { readonly clientConfig?: JsonObject } };
    readonly versions?: readonly JsonObject[];
  };
}

/** What to change so that our webhook converts and every version is served; undefined where that is so, or somebody else converts. */
export function conversionPatch({ spec = {} }: Definition, endpoint: WebhookEndpoint): JsonObject | undefined {
  const { conversion = {}, versions = [] } = spec;
  const wanted = clientConfig(endpoint, WEBHOOK_PATHS.convert) as JsonObject;
  const standing = conversion.webhook?.clientConfig;
  if (conversion.strategy === 'Webhook' && !isSamePlace(standing, wanted)) return undefined;
  const isServed = versions.every(({ served }) => served === true);
  if (isServed && deepEqual(standing, wanted)) return undefined;
  return {
    conversion: { strategy: 'Webhook', webhook: { clientConfig: wanted, conversionReviewVersions: ['v1'] } },
    versions: versions.map((version) => ({ ...version, served: true })),
  };
}

function isSamePlace(standing: JsonObject | undefined, wanted: JsonObject): boolean {
  const place = (config: JsonObject | undefined): unknown => {
    const service = isJsonObject(config?.['service']) ? config['service'] : {};
    return [config?.['url'], service['namespace'], service['name']];
  };
  return deepEqual(place(standing), place(wanted));
}
