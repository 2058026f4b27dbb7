import { deepEqual, isJsonObject, objectOrEmpty } from '@outrigger/core';
import { AGENT_ANNOTATION_PREFIX, CLUSTER_SET_LABEL, DEFAULT_CLUSTER_SET } from '../constants.js';
import type { AdmissionSettings, JsonPatchOperation, Refused } from './types.js';

/**
 * The cluster itself may write only these parts of its ManagedCluster: the address of its API server, its status (a subresource, which is
 * not checked here), the annotations of agents, and the labels that an administrator allows by prefix. Every other field, even one unknown
 * to this version, belongs to the hub: labels select add-ons, annotations control the hub's behaviour, and taints and acceptance decide
 * what is placed on the cluster.
 */
type OwnSettings = Pick<AdmissionSettings, 'agentLabelPrefixes'>;
type Texts = ReadonlyMap<string, string>;

const AGENT_ANNOTATIONS = `${AGENT_ANNOTATION_PREFIX}/`;

/** The fields of `metadata` that the API server itself manages. Writers cannot change them in an admitted object. */
const SERVER_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);

/** The fields of `spec` that a cluster may write. */
const OWN_SPEC_FIELDS: ReadonlySet<string> = new Set(['managedClusterClientConfigs']);

/** The values that fields have if the writer omits them. Sending such a value is not a change. */
const SPEC_DEFAULTS: Readonly<Record<string, unknown>> = { hubAcceptsClient: false, leaseDurationSeconds: 60, taints: [] };
const METADATA_DEFAULTS: Readonly<Record<string, unknown>> = { finalizers: [], ownerReferences: [] };
/** The labels that the hub itself sets on a new cluster. */
const INITIAL_LABELS: Texts = new Map([[CLUSTER_SET_LABEL, DEFAULT_CLUSTER_SET]]);

export interface KeptMetadata {
  /** The labels of the object after `patch` is applied. */
  readonly labels: Readonly<Record<string, string>>;
  readonly patch: readonly JsonPatchOperation[];
  readonly warnings: readonly string[];
}

/**
 * Reverts changes to labels and annotations that the cluster may not write. The write is not rejected, because an agent that was started
 * with labels sends these labels together with the fields that it may write. `object` may violate its schema.
 */
export function keepHubMetadata(object: unknown, old: unknown, settings: OwnSettings): KeptMetadata {
  const patch: JsonPatchOperation[] = [];
  const warnings: string[] = [];
  let labels = Object.fromEntries(textsOf(object, 'labels'));
  for (const { field, isOwn, what } of maps(settings)) {
    const sent = textsOf(object, field);
    const before = textsOf(old, field);
    const refused = changedKeys(sent, before).filter((key) => !isOwn(key) && !isInitial(field, key, sent, old));
    if (refused.length === 0) continue;
    const isRefused = new Set(refused);
    const kept = [...[...sent].filter(([key]) => !isRefused.has(key)), ...[...before].filter(([key]) => isRefused.has(key))];
    const value = Object.fromEntries(kept);
    if (field === 'labels') labels = value;
    patch.push({ op: 'add', path: `/metadata/${field}`, value });
    warnings.push(
      `metadata.${field}: ${refused.join(', ')} stayed as on the hub: the identity of a managed cluster may write ${what} only`,
    );
  }
  return { labels, patch, warnings };
}

/** Returns a rejection if a cluster may not make this change to its own ManagedCluster, or undefined if it may. */
export function refusedChange(object: unknown, old: unknown, settings: OwnSettings): Refused | undefined {
  const field = refusedField(object, old, settings);
  return field === undefined
    ? undefined
    : {
        allowed: false,
        reason: 'Forbidden',
        message: `${field}: the identity of a managed cluster may not change this field of its ManagedCluster; an administrator of the hub may`,
      };
}

function refusedField(object: unknown, old: unknown, settings: OwnSettings): string | undefined {
  for (const { field, isOwn } of maps(settings)) {
    const sent = textsOf(object, field);
    const key = changedKeys(sent, textsOf(old, field)).find((one) => !isOwn(one) && !isInitial(field, one, sent, old));
    if (key !== undefined) return `metadata.${field}[${key}]`;
  }
  const metadata = changedFields(part(object, 'metadata'), part(old, 'metadata'), METADATA_DEFAULTS).find(
    (name) => !SERVER_FIELDS.has(name) && name !== 'labels' && name !== 'annotations',
  );
  if (metadata !== undefined) return `metadata.${metadata}`;
  const spec = changedFields(part(object, 'spec'), part(old, 'spec'), SPEC_DEFAULTS).find((name) => !OWN_SPEC_FIELDS.has(name));
  return spec === undefined ? undefined : `spec.${spec}`;
}

interface TextMap {
  readonly field: 'labels' | 'annotations';
  readonly isOwn: (key: string) => boolean;
  readonly what: string;
}

function maps({ agentLabelPrefixes = [] }: OwnSettings): readonly TextMap[] {
  return [
    {
      field: 'labels',
      isOwn: (key) => agentLabelPrefixes.some((prefix) => prefix !== '' && key.startsWith(prefix)),
      what: agentLabelPrefixes.length === 0 ? 'no labels (--agent-label-prefix of the hub)' : `labels ${agentLabelPrefixes.join('*, ')}*`,
    },
    { field: 'annotations', isOwn: (key) => key.startsWith(AGENT_ANNOTATIONS), what: `annotations ${AGENT_ANNOTATIONS}*` },
  ];
}

function isInitial(field: TextMap['field'], key: string, sent: Texts, old: unknown): boolean {
  return old === undefined && field === 'labels' && INITIAL_LABELS.has(key) && INITIAL_LABELS.get(key) === sent.get(key);
}

function changedKeys(sent: Texts, before: Texts): readonly string[] {
  return [...new Set([...sent.keys(), ...before.keys()])].filter((key) => sent.get(key) !== before.get(key)).sort();
}

function changedFields(
  sent: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): readonly string[] {
  const valueOf = (of: Readonly<Record<string, unknown>>, name: string): unknown =>
    (Object.hasOwn(of, name) ? of[name] : undefined) ?? defaults[name];
  const names = new Set([...Object.keys(sent), ...Object.keys(before)]);
  return [...names].filter((name) => !deepEqual(valueOf(sent, name), valueOf(before, name))).sort();
}

function part(object: unknown, name: string): Readonly<Record<string, unknown>> {
  return objectOrEmpty(objectOrEmpty(object)[name]);
}

function textsOf(object: unknown, field: 'labels' | 'annotations'): Texts {
  const found = part(object, 'metadata')[field];
  return new Map(isJsonObject(found) ? (Object.entries(found) as [string, string][]) : []);
}
