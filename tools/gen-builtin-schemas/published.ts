import { brotliCompressSync } from 'node:zlib';
import type { OpenApiNode } from './trim.js';

/** The definitions of requests and responses that do not belong to a particular kind. */
const GENERAL: readonly string[] = [
  ...[
    'APIGroup',
    'APIGroupList',
    'APIResourceList',
    'APIVersions',
    'DeleteOptions',
    'ListMeta',
    'ObjectMeta',
    'Patch',
    'Status',
    'WatchEvent',
  ].map((kind) => `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`),
  'io.k8s.apimachinery.pkg.version.Info',
];

/**
 * Returns the definitions that `roots` names and all definitions that they reference, compressed. Descriptions are omitted, because they
 * are Kubernetes' own text.
 */
export function published(roots: readonly string[], available: ReadonlyMap<string, OpenApiNode>): { text: string; count: number } {
  const found = new Map<string, OpenApiNode>();
  const queue = [...GENERAL, ...roots];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (found.has(name)) continue;
    const definition = available.get(name);
    if (!definition) throw new Error(`the server publishes no ${name}`);
    found.set(name, withoutDescriptions(definition));
    queue.push(...[...JSON.stringify(definition).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, reference = '']) => reference));
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return { text: brotliCompressSync(JSON.stringify(Object.fromEntries(sorted))).toString('base64'), count: found.size };
}

/** Removes the descriptions of schemas, but keeps a property that is called `description`. */
function withoutDescriptions<T>(schema: T): T {
  const { description: _, properties, items, additionalProperties, ...rest } = schema as Readonly<Record<string, unknown>>;
  const inside = (value: unknown): unknown => (typeof value === 'object' && value !== null ? withoutDescriptions(value) : value);
  return {
    ...rest,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties as object).map(([name, value]) => [name, inside(value)])) }),
    ...(items === undefined ? {} : { items: inside(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: inside(additionalProperties) }),
  } as T;
}
