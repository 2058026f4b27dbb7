import { type JsonObject, type KubeObject, asJson, isJsonObject, parseApiVersion } from '@outrigger/core';
import { isAggregated } from '../manifest/normalize.js';
import { type FieldOwners, UNOWNED, isOnlyOurs, ownersAt, ownersOfElement } from './field-owners.js';

/**
 * Kinds that the server completes on creation and that are mostly immutable afterwards. Replacing such an object with its manifest would
 * remove fields that the server added (a Job's selector, a claim's volume) and would be rejected.
 */
const FROZEN: ReadonlySet<string> = new Set(['/Pod', '/PersistentVolumeClaim', '/PersistentVolume', 'batch/Job']);

export function isFrozenAtCreation(manifest: KubeObject): boolean {
  return FROZEN.has(typeOf(manifest));
}

export function isTokenSecret(live: KubeObject): boolean {
  return live.kind === 'Secret' && (live as { readonly type?: string }).type === 'kubernetes.io/service-account-token';
}

/** Merges the manifest into the live object. Fields that the manifest lacks are kept. */
export function overlay(manifest: KubeObject, live: KubeObject): KubeObject {
  return laidOver(asJson(manifest), asJson(live)) as unknown as KubeObject;
}

function laidOver(wanted: JsonObject, actual: JsonObject): JsonObject {
  const merged: [string, unknown][] = Object.entries(wanted).map(([key, value]) => {
    const below = Object.hasOwn(actual, key) ? actual[key] : undefined;
    if (isJsonObject(value) && isJsonObject(below)) return [key, laidOver(value, below)];
    if (Array.isArray(value) && Array.isArray(below) && value.length === below.length) {
      const items: readonly unknown[] = below;
      return [key, value.map((item: unknown, i) => (isJsonObject(item) && isJsonObject(items[i]) ? laidOver(item, items[i]) : item))];
    }
    return [key, value];
  });
  return { ...actual, ...Object.fromEntries(merged) } as JsonObject;
}

type Path = readonly string[];

/**
 * Fields, by kind, that controllers of the cluster fill in and manifests omit or leave empty. A name in brackets is the key of list
 * elements. Removing these fields would break certificates injected into webhooks and pull secrets linked to service accounts.
 */
const FILLED_IN: Readonly<Record<string, readonly Path[]>> = {
  '/ServiceAccount': [['secrets'], ['imagePullSecrets']],
  'apiregistration.k8s.io/APIService': [['spec', 'caBundle']],
  'apiextensions.k8s.io/CustomResourceDefinition': [['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle']],
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': [['webhooks', '[name]', 'clientConfig', 'caBundle']],
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': [['webhooks', '[name]', 'clientConfig', 'caBundle']],
};

/**
 * Returns the manifest with the status and the fields of FILLED_IN copied from the live object if the manifest does not set them. Values
 * that the agent wrote for an earlier version of the manifest (see `owners`) are not copied.
 */
export function withKeptFields(manifest: KubeObject, live: KubeObject, owners: FieldOwners): KubeObject {
  const filledIn = (FILLED_IN[typeOf(manifest)] ?? []).reduce<unknown>((object, path) => kept(object, live, path, owners), manifest);
  const observed = [...(isAggregated(manifest) ? [['rules']] : []), ['status']];
  const result = observed.reduce<unknown>((object, path) => kept(object, live, path, UNOWNED), filledIn) as KubeObject;
  return withInjectedAuthorities(result, live, owners);
}

interface ConfigMapFields extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Keeps the CA certificates that OpenShift injects into ConfigMaps that request them. */
function withInjectedAuthorities(manifest: ConfigMapFields, { data: actual = {} }: ConfigMapFields, owners: FieldOwners): KubeObject {
  const { labels, annotations } = manifest.metadata;
  const keys = [
    ...(labels?.['config.openshift.io/inject-trusted-cabundle'] === 'true' ? ['ca-bundle.crt'] : []),
    ...(annotations?.['service.beta.openshift.io/inject-cabundle'] === 'true' ? ['service-ca.crt'] : []),
  ].filter((key) => isUnsaid(manifest.data?.[key]) && actual[key] !== undefined && !isOnlyOurs(ownersAt(owners, 'data', key)));
  if (keys.length === 0 || typeOf(manifest) !== '/ConfigMap') return manifest;
  const injected = Object.fromEntries(keys.map((key) => [key, actual[key]]));
  return { ...manifest, data: { ...manifest.data, ...injected } } as KubeObject;
}

function kept(wanted: unknown, actual: unknown, [step, ...rest]: Path, owners: FieldOwners): unknown {
  if (step === undefined) return isUnsaid(wanted) ? (withoutOurs(actual, owners) ?? wanted) : wanted;
  if (step.startsWith('[')) return keptInList(wanted, actual, { key: step.slice(1, -1), rest, owners });
  if (!isJsonObject(wanted) || !isJsonObject(actual) || actual[step] === undefined) return wanted;
  // A nested field is kept only if the manifest has its parent.
  if (rest.length > 0 && wanted[step] === undefined) return wanted;
  return { ...wanted, [step]: kept(wanted[step], actual[step], rest, ownersAt(owners, step)) };
}

/** Returns the value without the list elements that only the agent owns, or undefined if only the agent owns the whole value. */
function withoutOurs(actual: unknown, owners: FieldOwners): unknown {
  if (!Array.isArray(actual)) return isOnlyOurs(owners) ? undefined : actual;
  const items: readonly unknown[] = actual;
  const others = items.filter((item) => !isOnlyOurs(ownersOfElement(owners, item)));
  if (others.length === items.length) return actual;
  return others.length === 0 ? undefined : others;
}

/** Whether a manifest leaves a value to a controller, because the value is absent or empty. */
function isUnsaid(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

interface InList {
  readonly key: string;
  readonly rest: readonly string[];
  readonly owners: FieldOwners;
}

function keptInList(wanted: unknown, actual: unknown, { key, rest, owners }: InList): unknown {
  if (!Array.isArray(wanted) || !Array.isArray(actual)) return wanted;
  const items: readonly unknown[] = actual;
  return wanted.map((item: unknown) => {
    const same = items.find((candidate) => isJsonObject(item) && isJsonObject(candidate) && candidate[key] === item[key]);
    return same === undefined ? item : kept(item, same, rest, ownersOfElement(owners, same));
  });
}

function typeOf({ apiVersion, kind }: KubeObject): string {
  return `${parseApiVersion(apiVersion).group}/${kind}`;
}
