import { brotliDecompressSync } from 'node:zlib';
import type { Definitions } from './schema-node.js';

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The published definitions of built-in kinds. */
export interface BuiltinDefinitions {
  readonly all: Definitions;
  /** Returns the name of the kind's definition, or undefined for kinds that are not built in. */
  nameOf(kind: GroupVersionKind): string | undefined;
}

/**
 * Loads the complete definitions of the built-in kinds, without descriptions. Only OpenAPI documents need them, so they are loaded when the
 * first document is written, and then released.
 */
export async function loadBuiltinDefinitions(): Promise<BuiltinDefinitions> {
  const { PUBLISHED } = await import('../schemas/generated/openapi.js');
  const all = JSON.parse(brotliDecompressSync(Buffer.from(PUBLISHED, 'base64')).toString()) as Definitions;
  const names = new Map<string, string>();
  for (const [name, definition] of Object.entries(all)) {
    const kinds = (definition['x-kubernetes-group-version-kind'] ?? []) as readonly GroupVersionKind[];
    // A definition that belongs to many groups (`DeleteOptions`) cannot be looked up by its kind. Callers know its name.
    if (kinds.length === 1 && kinds[0]) names.set(keyOf(kinds[0]), name);
  }
  return { all, nameOf: (kind) => names.get(keyOf(kind)) };
}

function keyOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}
