/** A schema in an OpenAPI document of either version. */
export type SchemaNode = { readonly [key: string]: unknown };

/** Schemas by the names with which references refer to them. */
export type Definitions = Readonly<Record<string, SchemaNode>>;

const V3_PREFIX = '#/components/schemas/';

/** Returns a reference to a definition in version 3. */
export function reference(name: string): SchemaNode {
  return { $ref: `${V3_PREFIX}${name}` };
}

/** Returns the name of the definition that a node references, or undefined if the node is not a reference. */
export function referredTo({ $ref: target }: SchemaNode): string | undefined {
  return typeof target === 'string' ? target.slice(V3_PREFIX.length) : undefined;
}

/** Applies `change` to the direct child schemas. */
export function mapChildren(node: SchemaNode, change: (child: SchemaNode) => SchemaNode): SchemaNode {
  const { items, additionalProperties, properties } = node;
  return {
    ...node,
    ...(isNode(items) ? { items: change(items) } : {}),
    ...(isNode(additionalProperties) ? { additionalProperties: change(additionalProperties) } : {}),
    ...(isNode(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, change(child as SchemaNode)])) }
      : {}),
  };
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null;
}
