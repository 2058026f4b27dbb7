import { ROOTS } from '../schemas/generated/resources.js';

/** Kinds every group understands, by the message they are. */
const META_KINDS: Readonly<Record<string, string>> = { DeleteOptions: 'meta.v1.DeleteOptions' };

/** The protobuf message of a kind, or undefined for what is not built in. */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  if (Object.hasOwn(META_KINDS, kind)) return META_KINDS[kind];
  const key = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}/${kind}`;
  return Object.hasOwn(ROOTS, key) ? ROOTS[key] : undefined;
}
