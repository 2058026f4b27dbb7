import { ROOTS } from '../schemas/generated/resources.js';
import { isMessage } from './layout.js';

const META = 'meta.v1.';

/** The kinds that every API group accepts or returns, each with the package of its message. */
const GENERAL_KINDS: Readonly<Record<string, string>> = {
  APIGroup: META,
  APIGroupDiscoveryList: 'apidiscovery.v2.',
  APIGroupList: META,
  APIResourceList: META,
  APIVersions: META,
  DeleteOptions: META,
  PartialObjectMetadata: META,
  PartialObjectMetadataList: META,
  Status: META,
};

/** Returns the protobuf message of a kind or of its list, or undefined for kinds that are not built in. */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  if (Object.hasOwn(GENERAL_KINDS, kind)) return `${GENERAL_KINDS[kind]}${kind}`;
  const group = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  const own = rootOf(`${group}/${kind}`);
  if (own !== undefined) return own;
  const item = kind.endsWith('List') ? rootOf(`${group}/${kind.slice(0, -'List'.length)}`) : undefined;
  return item !== undefined && isMessage(`${item}List`) ? `${item}List` : undefined;
}

function rootOf(key: string): string | undefined {
  return Object.hasOwn(ROOTS, key) ? ROOTS[key] : undefined;
}
