import { ADDON_GROUP, configKey } from '@outrigger/api';
import { compareText, isJsonObject, type JsonObject, memoizeText, parseJson } from '@outrigger/core';

/** A fully resolved reference to one config object. */
export interface ConfigRef {
  readonly group: string;
  readonly resource: string;
  /** The namespace of the object; empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** A reference with the digest of its content; the digest is empty if the object could not be read. */
export interface PinnedRef extends ConfigRef {
  readonly specHash: string;
}

export interface ConfigRefInput {
  readonly group?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

export const TEMPLATE_RESOURCE = 'addontemplates';
export const DEPLOYMENT_CONFIG_RESOURCE = 'addondeploymentconfigs';

export function toRef({ group = '', resource, namespace = '', name }: ConfigRefInput): ConfigRef {
  return { group, resource, namespace, name };
}

/** `group/resource/namespace/name`: the key of the config indexes. */
export function refKey(ref: ConfigRef): string {
  return `${ref.group}/${ref.resource}/${ref.namespace}/${ref.name}`;
}

export function groupResource(ref: Pick<ConfigRef, 'group' | 'resource'>): string {
  return `${ref.group}/${ref.resource}`;
}

/** `group/resource` of AddOnTemplates. */
export const TEMPLATE_KIND: string = groupResource({ group: ADDON_GROUP, resource: TEMPLATE_RESOURCE });

export function isTemplate(ref: Pick<ConfigRef, 'group' | 'resource'>): boolean {
  return ref.group === ADDON_GROUP && ref.resource === TEMPLATE_RESOURCE;
}

export function isDeploymentConfig(ref: Pick<ConfigRef, 'group' | 'resource'>): boolean {
  return ref.group === ADDON_GROUP && ref.resource === DEPLOYMENT_CONFIG_RESOURCE;
}

/** Whether the manager watches all objects of this kind. For other kinds it watches only the referenced objects. */
export function isOwnKind(ref: Pick<ConfigRef, 'group' | 'resource'>): boolean {
  return isTemplate(ref) || isDeploymentConfig(ref);
}

/**
 * Merges layers of references, sorted by precedence, lowest first. If a layer has references of a group and resource, they replace all
 * references of that group and resource in layers of lower precedence. The result is sorted by group, then by resource; references of the
 * same group and resource keep their declared order.
 */
export function layered<R extends ConfigRef>(layers: readonly (readonly R[])[]): readonly R[] {
  const byKind = new Map<string, readonly R[]>();
  for (const layer of layers) {
    const seen = new Map<string, Map<string, R>>();
    for (const ref of layer) {
      const kind = groupResource(ref);
      const refs = seen.get(kind) ?? new Map<string, R>();
      if (!refs.has(refKey(ref))) refs.set(refKey(ref), ref);
      seen.set(kind, refs);
    }
    for (const [kind, refs] of seen) byKind.set(kind, [...refs.values()]);
  }
  return [...byKind.values()].sort(([a], [b]) => compareKinds(a, b)).flat();
}

/** Compares the group first, then the resource. Comparing both as one string would put `apps.example` before `apps`. */
function compareKinds(a: ConfigRef | undefined, b: ConfigRef | undefined): number {
  return compareText(a?.group ?? '', b?.group ?? '') || compareText(a?.resource ?? '', b?.resource ?? '');
}

/**
 * Returns the references that have no effect. An add-on is rendered from one AddOnTemplate and one AddOnDeploymentConfig, the first of each
 * kind in the spec, so any further reference of these kinds has no effect.
 */
export function unusedRefs<R extends ConfigRef>(refs: readonly R[]): readonly R[] {
  const ruled = refs.filter(isOwnKind);
  return ruled.filter((ref) => ruled.find((other) => groupResource(other) === groupResource(ref)) !== ref);
}

/**
 * Returns the references to AddOnTemplates and AddOnDeploymentConfigs that have an effect, as one string. If there are several configs of a
 * kind, their order decides which one has an effect, so the digest of the rendering inputs must include this string.
 */
export function usedRefs(refs: readonly ConfigRef[]): string {
  const unused = new Set<ConfigRef>(unusedRefs(refs));
  return refs
    .filter((ref) => isOwnKind(ref) && !unused.has(ref))
    .map(refKey)
    .sort()
    .join();
}

/** The value of the config-spec-hash annotation; undefined if there are no references. */
export function configSpecHash(refs: readonly PinnedRef[]): string | undefined {
  if (refs.length === 0) return undefined;
  const entries = refs.map((ref) => [configKey(ref), ref.specHash] as const);
  return JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
}

const DIGEST = /^[0-9a-f]{64}$/;

/** The digest of a config in a config-spec-hash annotation; undefined if the annotation does not name the config or cannot be read. */
export function annotatedDigest(annotation: string | undefined, ref: ConfigRef): string | undefined {
  const digest = annotation === undefined ? undefined : digestsOf(annotation)[configKey(ref)];
  return typeof digest === 'string' && DIGEST.test(digest) ? digest : undefined;
}

const digestsOf = memoizeText((annotation: string): JsonObject => {
  const value = parseJson(annotation);
  return isJsonObject(value) ? value : {};
});
