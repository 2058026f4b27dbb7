/** A node in a real server's OpenAPI v3 document, with only the fields that are read here. */
export type OpenApiNode = { readonly [key: string]: unknown };

const KEPT: readonly string[] = [
  'type',
  'format',
  'required',
  'enum',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-embedded-resource',
];

/** The schemas that replace references to types without a structure in JSON. */
const INLINE: Readonly<Record<string, OpenApiNode>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { format: 'quantity', 'x-kubernetes-int-or-string': true },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { 'x-kubernetes-int-or-string': true },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': { type: 'string', format: 'date-time', nullable: true },
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': { type: 'string', format: 'date-time', nullable: true },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': { 'x-kubernetes-preserve-unknown-fields': true },
  // The type is recursive, so this schema allows any field. The code that derives a structural schema from a CRD's schema checks the
  // fields.
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps': {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-map-type': 'atomic',
  },
};

/** Shortens a name: `io.k8s.api.core.v1.Container` → `core.v1.Container`. The result is unique among the served groups. */
export function shortName(definition: string): string {
  return definition.split('.').slice(-3).join('.');
}

/**
 * Returns the part of a schema that decides how objects are pruned, merged and checked: without descriptions, and without defaults that
 * only repeat Go's zero value. `seen` collects the referenced definitions.
 */
export function trim(node: OpenApiNode, seen: Set<string>): OpenApiNode {
  const reference = referenceOf(node);
  if (reference) return trimReference(reference, node, seen);
  const trimmed: Record<string, unknown> = {};
  for (const key of KEPT) if (node[key] !== undefined) trimmed[key] = node[key];
  if (isRealDefault(node['default'])) trimmed['default'] = node['default'];
  const { items, additionalProperties, properties } = node as { [key: string]: OpenApiNode | undefined };
  if (items) trimmed['items'] = trim(items, seen);
  if (additionalProperties) trimmed['additionalProperties'] = trim(additionalProperties, seen);
  if (properties) trimmed['properties'] = Object.fromEntries(Object.entries(properties).map(([k, v]) => [k, trim(v as OpenApiNode, seen)]));
  return trimmed;
}

function trimReference(reference: string, node: OpenApiNode, seen: Set<string>): OpenApiNode {
  const inline = INLINE[reference];
  const extra = Object.fromEntries(KEPT.filter((key) => node[key] !== undefined).map((key) => [key, node[key]]));
  if (inline) return { ...inline, ...extra };
  seen.add(reference);
  return { $ref: shortName(reference), ...extra };
}

function referenceOf(node: OpenApiNode): string | undefined {
  const direct = node['$ref'] as string | undefined;
  const only = (node['allOf'] as readonly OpenApiNode[] | undefined)?.[0]?.['$ref'] as string | undefined;
  return (direct ?? only)?.replace('#/components/schemas/', '');
}

function isRealDefault(value: unknown): boolean {
  const isZero = value === undefined || value === '' || value === 0 || value === false;
  return !isZero && !isEmptyObject(value);
}

/** Whether the value is an empty object. Go writes a struct even if all its fields are empty. */
function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
