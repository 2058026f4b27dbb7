import { type JsonObject, type KubeObject, isJsonObject, parseApiVersion } from '@outrigger/core';
import { isAggregated } from '../manifest/normalize.js';

/**
 * Kinds whose content the server completes when they are made and hardly lets change after: replacing one by its manifest would take
 * away what the server added (a Job's selector, a claim's volume) and be refused.
 */
const FROZEN: ReadonlySet<string> = new Set(['/Pod', '/PersistentVolumeClaim', '/PersistentVolume', 'batch/Job']);

export function isFrozenAtCreation(manifest: KubeObject): boolean {
  return FROZEN.has(typeOf(manifest));
}

export function isTokenSecret(live: KubeObject): boolean {
  return live.kind === 'Secret' && (live as { readonly type?: string }).type === 'kubernetes.io/service-account-token';
}

/** The manifest laid over the live object: what it does not say stays. */
export function overlay(manifest: KubeObject, live: KubeObject): KubeObject {
  return laidOver(manifest as unknown as JsonObject, live as unknown as JsonObject) as unknown as KubeObject;
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
 * Fields that controllers of the cluster fill in and manifests leave out or empty, by kind; a name in brackets finds the element of a list.
 * Taking them away would break what works: certificates injected into webhooks, pull secrets linked to service accounts.
 */
const FILLED_IN: Readonly<Record<string, readonly Path[]>> = {
  '/ServiceAccount': [['secrets'], ['imagePullSecrets']],
  'apiregistration.k8s.io/APIService': [['spec', 'caBundle']],
  'apiextensions.k8s.io/CustomResourceDefinition': [['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle']],
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': [['webhooks', '[name]', 'clientConfig', 'caBundle']],
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': [['webhooks', '[name]', 'clientConfig', 'caBundle']],
};

/** The manifest with those fields, and the status, as they are on the live object wherever it does not say them itself. */
export function withKeptFields(manifest: KubeObject, live: KubeObject): KubeObject {
  const paths = [...(FILLED_IN[typeOf(manifest)] ?? []), ...(isAggregated(manifest) ? [['rules']] : []), ['status']];
  const result = paths.reduce<unknown>((object, path) => kept(object, live, path), manifest) as KubeObject;
  return withInjectedAuthorities(result, live);
}

interface ConfigMapFields extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** OpenShift puts authorities into ConfigMaps that ask for them. */
function withInjectedAuthorities(manifest: ConfigMapFields, { data: actual = {} }: ConfigMapFields): KubeObject {
  const { labels, annotations } = manifest.metadata;
  const keys = [
    ...(labels?.['config.openshift.io/inject-trusted-cabundle'] === 'true' ? ['ca-bundle.crt'] : []),
    ...(annotations?.['service.beta.openshift.io/inject-cabundle'] === 'true' ? ['service-ca.crt'] : []),
  ].filter((key) => isUnsaid(manifest.data?.[key]) && actual[key] !== undefined);
  if (keys.length === 0 || typeOf(manifest) !== '/ConfigMap') return manifest;
  const injected = Object.fromEntries(keys.map((key) => [key, actual[key]]));
  return { ...manifest, data: { ...manifest.data, ...injected } } as KubeObject;
}

function kept(wanted: unknown, actual: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return isUnsaid(wanted) ? actual : wanted;
  if (step.startsWith('[')) return keptInList(wanted, actual, step.slice(1, -1), rest);
  if (!isJsonObject(wanted) || !isJsonObject(actual) || actual[step] === undefined) return wanted;
  // A field deeper down is kept only within what the manifest itself has.
  if (rest.length > 0 && wanted[step] === undefined) return wanted;
  return { ...wanted, [step]: kept(wanted[step], actual[step], rest) };
}

/** People write an empty value for "somebody else fills this in". */
function isUnsaid(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function keptInList(wanted: unknown, actual: unknown, key: string, rest: readonly string[]): unknown {
  if (!Array.isArray(wanted) || !Array.isArray(actual)) return wanted;
  const items: readonly unknown[] = actual;
  return wanted.map((item: unknown) => {
    const same = items.find((candidate) => isJsonObject(item) && isJsonObject(candidate) && candidate[key] === item[key]);
    return same === undefined ? item : kept(item, same, rest);
  });
}

function typeOf({ apiVersion, kind }: KubeObject): string {
  return `${parseApiVersion(apiVersion).group}/${kind}`;
}
