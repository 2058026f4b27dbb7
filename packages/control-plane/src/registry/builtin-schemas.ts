import type { StructuralSchema } from '@outrigger/core/schema';
import { DEFINITIONS } from '../schemas/generated/definitions.js';
import { MESSAGES } from '../schemas/generated/messages.js';
import { ROOTS } from '../schemas/generated/resources.js';

type Node = { readonly [key: string]: unknown };

const resolved = new Map<string, StructuralSchema>();
const roots = new Map<string, StructuralSchema>();

/** Fields that the published schema requires because Go always writes them, but that kube-apiserver does not require in requests. */
const NOT_INSISTED_ON: Readonly<Record<string, readonly string[]>> = {
  // `strategies/webhook-configurations.ts` checks the fields of webhooks, because its error for a missing value lists the allowed values.
  'admissionregistration.v1.MutatingWebhook': ['sideEffects', 'admissionReviewVersions'],
  'admissionregistration.v1.ValidatingWebhook': ['sideEffects', 'admissionReviewVersions'],
  'apps.v1.ControllerRevision': ['revision'],
  // `strategies/minor-kinds.ts` and `strategies/ingresses.ts` check these fields, because their errors have other words.
  'autoscaling.v1.HorizontalPodAutoscalerSpec': ['maxReplicas', 'scaleTargetRef'],
  'autoscaling.v2.HorizontalPodAutoscalerSpec': ['maxReplicas', 'scaleTargetRef'],
  'networking.v1.HTTPIngressPath': ['backend', 'pathType'],
  'core.v1.Event': ['metadata', 'involvedObject'],
  'core.v1.LimitRangeSpec': ['limits'],
  'discovery.v1.EndpointSlice': ['endpoints'],
  'scheduling.v1.PriorityClass': ['value'],
};

/** Returns the schema of a built-in kind. It is built on first use, and kinds share the parts that they have in common. */
export function builtinSchema(group: string, version: string, kind: string): StructuralSchema {
  const key = `${group}/${version}/${kind}`;
  const known = roots.get(key);
  if (known) return known;
  const name = ROOTS[key];
  if (name === undefined) throw new Error(`no built-in schema for ${key}`);
  const schema = withoutStatusRequirements(definition(name));
  roots.set(key, schema);
  return schema;
}

function definition(name: string): StructuralSchema {
  const known = resolved.get(name);
  if (known) return known;
  const text = DEFINITIONS[name];
  if (text === undefined) throw new Error(`no definition named ${name}`);
  const schema = withMicroTimes(withoutRequired(resolve(JSON.parse(text) as Node), NOT_INSISTED_ON[name] ?? []), name);
  resolved.set(name, schema);
  return schema;
}

const microTimes = new WeakSet<StructuralSchema>();

/** Whether a part of a built-in kind is a time with microseconds. */
export function isMicroTime(schema: StructuralSchema): boolean {
  return microTimes.has(schema);
}

/** Marks the times with microseconds. The published schema has one format for all times; the layout of the messages distinguishes them. */
function withMicroTimes(schema: StructuralSchema, name: string): StructuralSchema {
  const fields = Array.from((MESSAGES[name] ?? '').matchAll(/\d+ (\w+) [?!]*meta\.v1\.MicroTime/g), ([, field = '']) => field);
  if (fields.length === 0) return schema;
  const times = fields.map((field) => [field, { ...schema.properties?.[field] }] as const);
  for (const [, time] of times) microTimes.add(time);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(times) } };
}

function withoutRequired(schema: StructuralSchema, names: readonly string[]): StructuralSchema {
  return names.length === 0 ? schema : { ...schema, required: (schema.required ?? []).filter((name) => !names.includes(name)) };
}

/** Replaces references with their targets. A node's own keys (patch strategy, list type) take precedence over those of the target. */
function resolve(node: Node): Node {
  const { $ref: reference, ...own } = node;
  if (typeof reference === 'string')
    return Object.keys(own).length === 0 ? (definition(reference) as Node) : { ...definition(reference), ...own };
  const { items, additionalProperties, properties } = node as { [key: string]: Node | undefined };
  return {
    ...node,
    // A part of a built-in kind for which there is no schema is atomic: it has one owner as a whole.
    ...(node['x-kubernetes-preserve-unknown-fields'] === true ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    // Empty `byte` fields are invalid in custom kinds but valid in built-in kinds. The format is therefore renamed to `base64`, which is
    // checked during decoding.
    ...(node['format'] === 'byte' ? { format: 'base64' } : {}),
    ...(items ? { items: resolve(items), ...keyDefaults(node, items) } : {}),
    ...(additionalProperties ? { additionalProperties: resolve(additionalProperties) } : {}),
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(([k, v]) => [k, resolve(v as Node)])) } : {}),
  };
}

/** Keys that Go may leave out, but whose published default is an empty string all the same. */
const EMPTY_KEYS: Readonly<Record<string, readonly string[]>> = { 'core.v1.LocalObjectReference': ['name'] };

/**
 * Returns the values of the keys that an item of a list omits: Go's zero values of the keys that Go always writes. They are the published
 * defaults, which the generated schemas leave out because stored objects must not get them.
 */
function keyDefaults(list: Node, items: Node): Pick<StructuralSchema, 'x-outrigger-key-defaults'> {
  const { 'x-kubernetes-list-map-keys': mapKeys, 'x-kubernetes-patch-merge-key': mergeKey } = list as StructuralSchema;
  const { required = [], properties } = resolve(items) as StructuralSchema;
  const written = [...required, ...(EMPTY_KEYS[String(items['$ref'])] ?? [])];
  const keys = (mapKeys ?? [mergeKey ?? '']).filter((key) => written.includes(key));
  if (keys.length === 0) return {};
  return { 'x-outrigger-key-defaults': Object.fromEntries(keys.map((key) => [key, properties?.[key]?.type === 'integer' ? 0 : ''])) };
}

/**
 * Removes requirements from the status schema. The published schema requires fields that Go always writes, but the server does not require
 * them.
 */
function withoutStatusRequirements(schema: StructuralSchema): StructuralSchema {
  const status = schema.properties?.['status'];
  return status ? { ...schema, properties: { ...schema.properties, status: dropRequired(status) } } : schema;
}

function dropRequired(schema: StructuralSchema): StructuralSchema {
  const { required: _, properties, items, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(([k, v]) => [k, dropRequired(v)])) } : {}),
    ...(items ? { items: dropRequired(items) } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: dropRequired(additionalProperties) } : {}),
  };
}
