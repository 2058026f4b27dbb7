import { inexactInteger } from '@outrigger/api';
import { type Json, type KubeObject, type MutableJsonObject, asJson, isJsonObject, memoize, setOwn, encodeText } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';

/** A manifest as it is applied and compared, and its digest. */
export interface PreparedManifest {
  readonly object: KubeObject;
  readonly digest: string;
  /** The path of an integer that cannot be applied exactly. */
  readonly inexactInteger: string | undefined;
}

/**
 * Prepares a manifest. It removes fields that only a server sets, the null `creationTimestamp`s that Go programs write (applying one
 * increments the generation), null metadata, the empty address of a Service, and the rules of a role that the cluster aggregates. It
 * converts a Secret's `stringData` to `data`, as the server stores it.
 *
 * While a work is unchanged its manifests are the same JavaScript objects, so each is prepared once, not on every pass.
 */
export const prepare: (manifest: KubeObject) => PreparedManifest = memoize((manifest: KubeObject) => {
  const { uid: _, resourceVersion: __, managedFields: ___, generation: ____, selfLink: _____, ...metadata } = manifest.metadata ?? {};
  // A manifest may lack any field. Without apiVersion or kind it is reported as a kind that is not served.
  const cleaned = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
  const complete = { ...manifest, apiVersion: manifest.apiVersion ?? '', kind: manifest.kind ?? '', metadata: cleaned };
  const timed = withoutNullTimes(asJson(complete)) as unknown as KubeObject;
  const object = withoutAggregatedRules(withoutEmptyAddress(withSecretData(timed)));
  return { object, digest: sha256Hex(canonicalJson(object)), inexactInteger: inexactInteger(object) };
});

function withoutNullTimes(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNullTimes);
  if (!isJsonObject(value)) return value;
  const out: MutableJsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || (key === 'creationTimestamp' && member === null)) continue;
    setOwn(out, key, withoutNullTimes(member));
  }
  return out;
}

function withSecretData(object: KubeObject): KubeObject {
  if (object.apiVersion !== 'v1' || object.kind !== 'Secret' || !('stringData' in object)) return object;
  const { stringData, ...rest } = object as KubeObject & { data?: Record<string, string>; stringData?: Record<string, string> };
  const data: Record<string, string> = { ...rest.data };
  for (const [key, text] of Object.entries(stringData ?? {})) setOwn(data, key, encodeText(text));
  return { ...rest, data } as KubeObject;
}

/**
 * Removes the empty address of a Service, for which the server chooses one. Sending the empty address again would remove the chosen
 * address.
 */
function withoutEmptyAddress(object: KubeObject): KubeObject {
  const { spec } = object as KubeObject & { readonly spec?: unknown };
  if (object.apiVersion !== 'v1' || object.kind !== 'Service' || !isJsonObject(spec) || spec['clusterIP'] !== '') return object;
  const { clusterIP: _, ...rest } = spec;
  return { ...object, spec: rest } as KubeObject;
}

/**
 * Whether the cluster aggregates the rules of a ClusterRole from other roles. Writing rules to such a role would remove permissions until
 * the cluster aggregates them again.
 */
export function isAggregated({ apiVersion, kind, ...fields }: KubeObject): boolean {
  const { aggregationRule } = fields as { readonly aggregationRule?: unknown };
  return kind === 'ClusterRole' && apiVersion.startsWith('rbac.authorization.k8s.io/') && isJsonObject(aggregationRule);
}

function withoutAggregatedRules(object: KubeObject): KubeObject {
  if (!isAggregated(object)) return object;
  const { rules: _, ...rest } = object as KubeObject & { readonly rules?: unknown };
  return rest;
}
