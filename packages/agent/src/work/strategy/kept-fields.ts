import { type JsonObject, type KubeObject, isJsonObject, parseApiVersion } from '@outrigger/core';

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

/**
 * Fields that controllers of the cluster fill in and manifests leave out, by kind; a name in brackets finds the element of a list.
 * Taking them away would break what works: certificates injected into webhooks, pull secrets linked to service accounts.
 */
const FILLED_IN: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '/ServiceAccount': [['secrets'], ['imagePullSecrets']],
  'apiregistration.k8s.io/APIService': [['spec', 'caBundle']],
  'apiextensions.k8s.io/CustomResourceDefinition': [['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle']],
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': [['webhooks', '[name]', 'clientConfig', 'caBundle']],
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': [['webhooks', '[name]', 'clientConfig', 'caBundle']],
};

/** The manifest with those fields, and the status, as they are on the live object wherever it does not say them itself. */
export function withKeptFields(manifest: KubeObject, live: KubeObject): KubeObject {
  const paths = [...(FILLED_IN[typeOf(manifest)] ?? []), ['status']];
  return paths.reduce<unknown>((result, path) => kept(result, live, path), manifest) as KubeObject;
}

function kept(wanted: unknown, actual: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return wanted ?? actual;
  if (step.startsWith('[')) return keptInList(wanted, actual, step.slice(1, -1), rest);
  if (!isJsonObject(wanted) || !isJsonObject(actual) || actual[step] === undefined) return wanted;
  // A field deeper down is kept only within what the manifest itself has.
  if (rest.length > 0 && wanted[step] === undefined) return wanted;
  return { ...wanted, [step]: kept(wanted[step], actual[step], rest) };
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
