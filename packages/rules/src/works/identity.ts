import { type JsonObject, type KubeObject, parseApiVersion, objectOrEmpty } from '@outrigger/core';

/** Group, kind, namespace and name of a manifest. The version is not included, because an object is the same in every version. */
export function manifestId(manifest: KubeObject | JsonObject): string {
  const { group } = parseApiVersion(String(manifest['apiVersion' as keyof typeof manifest] ?? ''));
  const metadata = objectOrEmpty(manifest.metadata) as { namespace?: string; name?: string };
  return `${group}/${String(manifest['kind' as keyof typeof manifest])}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/**
 * A cheap digest of plain data. Equal content has an equal digest, whatever the order of its keys. It detects changes but is not
 * cryptographically secure: it is computed for every work that is read, and a cryptographic hash would cost more than parsing the work.
 */
export function contentDigest(value: unknown): string {
  const state = { a: 0xdeadbeef, b: 0x41c6ce57 };
  walk(value, state);
  const a = Math.imul(state.a ^ (state.a >>> 16), 2246822507) ^ Math.imul(state.b ^ (state.b >>> 13), 3266489909);
  const b = Math.imul(state.b ^ (state.b >>> 16), 2246822507) ^ Math.imul(state.a ^ (state.a >>> 13), 3266489909);
  return (b >>> 0).toString(16).padStart(8, '0') + (a >>> 0).toString(16).padStart(8, '0');
}

interface DigestState {
  a: number;
  b: number;
}

function walk(value: unknown, state: DigestState): void {
  if (Array.isArray(value)) {
    mix('[', state);
    for (const item of value) walk(item, state);
    mix(']', state);
  } else if (typeof value === 'object' && value !== null) {
    mix('{', state);
    for (const key of Object.keys(value).sort()) {
      const child = (value as Record<string, unknown>)[key];
      if (child === undefined) continue;
      mix(key, state);
      walk(child, state);
    }
    mix('}', state);
  } else {
    mix(typeof value === 'string' ? `"${value}` : String(value), state);
  }
}

function mix(text: string, state: DigestState): void {
  let { a, b } = state;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  state.a = Math.imul(a ^ 0x9e3779b9, 2654435761);
  state.b = Math.imul(b ^ 0x85ebca6b, 1597334677);
}
