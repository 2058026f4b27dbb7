import { type Json, type JsonObject, type KubeObject, type MutableJsonObject, isJsonObject, setOwn } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { encodeText } from '../../base64.js';

/** A manifest as it is applied and compared, and a digest of it. */
export interface PreparedManifest {
  readonly object: KubeObject;
  readonly digest: string;
}

/** A work's manifests stay the same objects while the work is the same: each is prepared once, not on every pass. */
const prepared = new WeakMap<KubeObject, PreparedManifest>();

/**
 * The manifest without what only a server sets, without the null `creationTimestamp`s Go programs leave everywhere (applying one bumps
 * the generation) and null metadata, with a Secret's `stringData` where the server puts it, without the empty address of a Service and without
 * the rules of a role that the cluster aggregates.
 */
export function prepare(manifest: KubeObject): PreparedManifest {
  const known = prepared.get(manifest);
  if (known) return known;
  const { uid: _, resourceVersion: __, managedFields: ___, generation: ____, selfLink: _____, ...metadata } = manifest.metadata ?? {};
  // Whoever wrote it may have left anything out; what is missing is told as a kind that is not served.
  const said = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
  const complete = { ...manifest, apiVersion: manifest.apiVersion ?? '', kind: manifest.kind ?? '', metadata: said };
  const timed = withoutNullTimes(complete as unknown as JsonObject) as unknown as KubeObject;
  const object = withoutAggregatedRules(withoutEmptyAddress(withSecretData(timed)));
  const result = { object, digest: sha256Hex(canonicalJson(object)) };
  prepared.set(manifest, result);
  return result;
}

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

/** An empty address of a Service asks the server to choose one; sent again it would ask to take the chosen one away. */
function withoutEmptyAddress(object: KubeObject): KubeObject {
  const { spec } = object as KubeObject & { readonly spec?: unknown };
  if (object.apiVersion !== 'v1' || object.kind !== 'Service' || !isJsonObject(spec) || spec['clusterIP'] !== '') return object;
  const { clusterIP: _, ...rest } = spec;
  return { ...object, spec: rest } as KubeObject;
}

/** Whether the rules of a ClusterRole are gathered from others by the cluster: whoever writes them takes rights away until it does so again. */
export function isAggregated({ apiVersion, kind, ...fields }: KubeObject): boolean {
  const { aggregationRule } = fields as { readonly aggregationRule?: unknown };
  return kind === 'ClusterRole' && apiVersion.startsWith('rbac.authorization.k8s.io/') && isJsonObject(aggregationRule);
}

function withoutAggregatedRules(object: KubeObject): KubeObject {
  if (!isAggregated(object)) return object;
  const { rules: _, ...rest } = object as KubeObject & { readonly rules?: unknown };
  return rest;
}
