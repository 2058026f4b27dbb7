import type { Resource } from '../registry/resource.js';
import { customDefinitionName } from './names.js';
import { mapChildren, reference, type Definitions, type SchemaNode } from './schema-node.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

const OBJECT_META = { description: 'Name, labels and whatever else every object has.', allOf: [reference(`${META}ObjectMeta`)] };
const LIST_META = { description: 'What every list has.', allOf: [reference(`${META}ListMeta`)] };

/** The members that every object has, described as for built-in kinds. */
interface TypeMembers {
  readonly apiVersion: SchemaNode | undefined;
  readonly kind: SchemaNode | undefined;
}

/** Returns the definitions of a custom kind and its list. `isSimple` restricts them to the features of OpenAPI version 2. */
export function customDefinitions(resource: Resource, builtin: Definitions, isSimple: boolean): Definitions {
  const { apiVersion, kind: kindMember } = (builtin[`${META}Status`]?.['properties'] ?? {}) as Definitions;
  const types = { apiVersion, kind: kindMember };
  const { group, version, kind, listKind } = resource;
  const name = customDefinitionName(group, version, kind);
  const selectable = [...resource.selectableFields.keys()].map((fieldPath) => ({ fieldPath }));
  const ofKind = (value: string): object => ({
    'x-kubernetes-group-version-kind': [{ group, kind: value, version }],
    ...(selectable.length > 0 ? { 'x-kubernetes-selectable-fields': selectable } : {}),
  });
  const list = {
    description: `A list of objects of kind ${kind}.`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion,
      items: { type: 'array', items: reference(name) },
      kind: kindMember,
      metadata: LIST_META,
    },
  };
  return {
    [name]: { ...objectDefinition(resource.structural() as SchemaNode, types, isSimple), ...ofKind(kind) },
    [customDefinitionName(group, version, listKind)]: { ...list, ...ofKind(listKind) },
  };
}

function objectDefinition(schema: SchemaNode, types: TypeMembers, isSimple: boolean): SchemaNode {
  // An object that may have unknown fields gets a schema without members in OpenAPI version 2, because a client that validates strictly
  // would reject every member that the schema does not list.
  if (isSimple && schema['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object' };
  const shown = withEmbedded(isSimple ? simplified(schema) : schema, types, isSimple);
  return withMembers(shown, types);
}

/** Adds apiVersion and kind to embedded objects, as to top-level objects. */
function withEmbedded(schema: SchemaNode, types: TypeMembers, isSimple: boolean): SchemaNode {
  const node = mapChildren(schema, (child) => withEmbedded(child, types, isSimple));
  if (node['x-kubernetes-embedded-resource'] !== true) return node;
  if (isSimple && node['x-kubernetes-preserve-unknown-fields'] === true) return node;
  const required = [...new Set([...((node['required'] as readonly string[] | undefined) ?? []), 'kind', 'apiVersion'])];
  return { ...withMembers(node, types), required };
}

function withMembers(node: SchemaNode, types: TypeMembers): SchemaNode {
  return { ...node, properties: { ...(node['properties'] as object | undefined), ...types, metadata: OBJECT_META } };
}

/**
 * Removes features that older clients do not support. OpenAPI version 2 can express neither alternatives nor null, and kubectl treats the
 * members that a schema lists as complete, even if the object may have others.
 */
function simplified(schema: SchemaNode): SchemaNode {
  const { allOf: _, oneOf: __, anyOf: ___, not: ____, nullable, ...rest } = schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const node = mapChildren(
    withoutNullableRequired(nullable === true || isOpen ? without(rest, ['items', 'properties']) : rest),
    simplified,
  );
  const isUntyped = nullable === true || (node['type'] === 'array' && !node['items']) || (isOpen && node['type'] === 'object');
  return isUntyped ? without(node, ['type']) : node;
}

/** Makes fields that may be null optional, because version 2 has no null. */
function withoutNullableRequired(schema: SchemaNode): SchemaNode {
  const { required, properties = {}, additionalProperties } = schema;
  const mayBeNull = (child: unknown): boolean => (child as SchemaNode | undefined)?.['nullable'] === true;
  if (!Array.isArray(required)) return schema;
  const left = mayBeNull(additionalProperties)
    ? []
    : (required as readonly string[]).filter((name) => !mayBeNull((properties as Definitions)[name]));
  return left.length === required.length ? schema : { ...without(schema, ['required']), ...(left.length > 0 ? { required: left } : {}) };
}

function without(schema: SchemaNode, keys: readonly string[]): SchemaNode {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}
