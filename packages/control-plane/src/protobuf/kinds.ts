import { ROOTS } from '../schemas/generated/resources.js';
import { isMessage } from './layout.js';

/** Kinds every group understands or answers with. */
const META_KINDS: ReadonlySet<string> = new Set([
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'DeleteOptions',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
  'Status',
]);

/** The protobuf message of a kind or of a list of it, or undefined for what is not built in. */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  if (META_KINDS.has(kind)) return `meta.v1.${kind}`;
  const group = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  const own = rootOf(`${group}/${kind}`);
  if (own !== undefined) return own;
  const item = kind.endsWith('List') ? rootOf(`${group}/${kind.slice(0, -'List'.length)}`) : undefined;
  return item !== undefined && isMessage(`${item}List`) ? `${item}List` : undefined;
}

function rootOf(key: string): string | undefined {
  return Object.hasOwn(ROOTS, key) ? ROOTS[key] : undefined;
}
