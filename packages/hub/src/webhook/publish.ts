import { managedClusterAddOns, clusterManagementAddOns, customResourceDefinitions } from '@outrigger/api';
import { type JsonObject, type Kind, type KubeObject, type Logger, deepEqual, ifFound, isApiError, isJsonObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import {
  WEBHOOK_CONFIGURATION,
  type WebhookEndpoint,
  type WebhookSettings,
  clientConfig,
  mutatingConfiguration,
  mutatingWebhookConfigurations,
  validatingConfiguration,
  validatingWebhookConfigurations,
} from './configurations.js';
import { WEBHOOK_PATHS } from './respond.js';

/** Force conflicts: all replicas publish the same content, so it does not matter which write comes last. */
const APPLY = { force: true, fieldManager: 'outrigger-hub' } as const;

/** The annotation on a CRD that our webhook converts. Its value is the endpoint of that webhook. Uninstalling removes the conversion. */
const CONVERTS_ANNOTATION = 'outrigger.dev/converts';

/** The versions that `/convert` supports. */
const CONVERTIBLE: readonly string[] = ['v1alpha1', 'v1beta1'];

/** Kinds whose versions differ, so that a webhook must convert between them. */
const CONVERTED: readonly Kind[] = [clusterManagementAddOns, managedClusterAddOns];

/**
 * Publishes the webhooks' endpoint and CA bundle to the API server, for admission and for the conversion to v1beta1, so that v1beta1 is
 * served. If another webhook converts a kind, its conversion and the served versions stay unchanged.
 */
export async function publishWebhooks(
  client: Client,
  endpoint: WebhookEndpoint,
  log: Logger,
  settings: WebhookSettings = {},
): Promise<void> {
  await publishConfiguration(client, validatingWebhookConfigurations, validatingConfiguration(endpoint, settings), log);
  await publishConfiguration(client, mutatingWebhookConfigurations, mutatingConfiguration(endpoint), log);
  for (const kind of CONVERTED) await publishConversion(client, kind, endpoint, log);
}

/** Updates a webhook configuration that was installed for the manager. The manager has no permission to create one. */
async function publishConfiguration(client: Client, kind: Kind, configuration: KubeObject, log: Logger): Promise<void> {
  try {
    await client.apply(kind, configuration, APPLY);
  } catch (error) {
    if (!isApiError(error, 'Forbidden')) throw error;
    const message = `${kind.kind} ${WEBHOOK_CONFIGURATION} cannot be published: \`outrigger install hub --apply\` creates it`;
    log.error({ error: error.message }, message);
  }
}

async function publishConversion(client: Client, kind: Kind, endpoint: WebhookEndpoint, log: Logger): Promise<void> {
  const key = { name: `${kind.plural}.${kind.group}` };
  try {
    const definition = (await client.get(customResourceDefinitions, key)) as Definition;
    const spec = conversionPatch(definition, endpoint);
    if (spec) await change(client, definition, placeOf(clientConfig(endpoint, WEBHOOK_PATHS.convert) as JsonObject), spec);
  } catch (error) {
    // A conflict means that another replica has published the same content. If the manager has no permission to publish, v1beta1 is not
    // served, and everything else works.
    if (!isApiError(error, 'Conflict') && !isApiError(error, 'Forbidden')) throw error;
    log.info({ definition: key.name, error: error.message }, 'conversion is not published');
  }
}

/**
 * Reverts the conversion settings of `publishWebhooks`, because without the conversion webhook even lists fail. Returns the names of the
 * changed CRDs.
 */
export async function withdrawConversion(client: Client): Promise<readonly string[]> {
  const withdrawn: string[] = [];
  for (const { plural, group } of CONVERTED) {
    const name = `${plural}.${group}`;
    const definition = await find(client, name);
    if (!definition || !isConvertedByUs(definition)) continue;
    const versions = (definition.spec?.versions ?? []).map((version) => ({ ...version, served: version['storage'] === true }));
    await change(client, definition, null, { conversion: { strategy: 'None', webhook: null }, versions });
    withdrawn.push(name);
  }
  return withdrawn;
}

/** Whether our webhook converts an installed CRD. */
export function isConvertedByUs(installed: KubeObject): boolean {
  const { metadata, spec } = installed as Definition;
  const published = metadata.annotations?.[CONVERTS_ANNOTATION];
  if (published === undefined || spec?.conversion?.strategy !== 'Webhook') return false;
  // Earlier versions wrote `true` instead of the endpoint.
  return published === 'true' || published === placeOf(spec.conversion.webhook?.clientConfig);
}

function find(client: Client, name: string): Promise<Definition | undefined> {
  return ifFound(client.get(customResourceDefinitions, { name }));
}

async function change(client: Client, { metadata }: Definition, mark: string | null, spec: JsonObject): Promise<void> {
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  const patch = { metadata: { uid, resourceVersion, annotations: { [CONVERTS_ANNOTATION]: mark } }, spec };
  await client.patch(customResourceDefinitions, { name }, { type: 'merge', patch });
}

interface Definition extends KubeObject {
  readonly spec?: {
    readonly conversion?: { readonly strategy?: string; readonly webhook?: { readonly clientConfig?: JsonObject } };
    readonly versions?: readonly JsonObject[];
  };
}

/**
 * Returns the patch that makes our webhook convert the kind and the API server serve every version that our webhook supports. Undefined if
 * the CRD is already correct, or if another webhook converts the kind.
 */
export function conversionPatch(definition: Definition, endpoint: WebhookEndpoint): JsonObject | undefined {
  const { conversion = {}, versions = [] } = definition.spec ?? {};
  const wanted = clientConfig(endpoint, WEBHOOK_PATHS.convert) as JsonObject;
  const current = conversion.webhook?.clientConfig;
  const isOurs = isConvertedByUs(definition) || placeOf(current) === placeOf(wanted);
  if (conversion.strategy === 'Webhook' && !isOurs) return undefined;
  // Leave the CRD alone if it serves a version that our webhook cannot convert.
  if (versions.some(({ name, served }) => served === true && !CONVERTIBLE.includes(String(name)))) return undefined;
  const isServed = versions.every(({ name, served }) => served === CONVERTIBLE.includes(String(name)));
  if (isServed && deepEqual(current, wanted)) return undefined;
  return {
    conversion: { strategy: 'Webhook', webhook: { clientConfig: wanted, conversionReviewVersions: ['v1'] } },
    versions: versions.map((version) => ({ ...version, served: CONVERTIBLE.includes(String(version['name'])) })),
  };
}

/** The endpoint of a webhook as text: its URL, or `namespace/name` of its Service. */
function placeOf(config: JsonObject | undefined): string {
  const service = isJsonObject(config?.['service']) ? config['service'] : {};
  return typeof config?.['url'] === 'string' ? config['url'] : `${String(service['namespace'])}/${String(service['name'])}`;
}
