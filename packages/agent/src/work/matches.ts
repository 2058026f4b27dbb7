import { type KubeObject, type OwnerReference, isJsonObject } from '@outrigger/core';

/**
 * Whether a live object is what a manifest asks for: everything the manifest says is there. What it does not say is the server's
 * (defaults, status) or somebody else's business.
 */
export function matches(manifest: KubeObject, live: KubeObject): boolean {
  return holds(manifest, live, '');
}

function holds(wanted: unknown, actual: unknown, path: string): boolean {
  if (path === '/status' || path === '/metadata/creationTimestamp' || path === '/metadata/namespace' || path === '/metadata/uid')
    return true;
  if (path === '/metadata/ownerReferences' || path === '/metadata/resourceVersion' || path === '/metadata/finalizers') return true;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) && wanted.length === actual.length && wanted.every((item, index) => holds(item, actual[index], `${path}/-`))
    );
  }
  if (isJsonObject(wanted)) {
    const object = isJsonObject(actual) ? actual : {};
    return Object.entries(wanted).every(([key, value]) => {
      // An empty value and an absent one are the same to the API server.
      if (isEmpty(value) && object[key] === undefined) return true;
      return holds(value, object[key], `${path}/${key}`);
    });
  }
  return wanted === actual;
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    (Array.isArray(value) && value.length === 0) ||
    (isJsonObject(value) && Object.keys(value).length === 0)
  );
}

/** The object to write over a live one: the manifest's content, with labels, annotations and owners merged into what is there. */
export function replacement(manifest: KubeObject, live: KubeObject, owner: OwnerReference | undefined): KubeObject {
  const { labels, annotations } = manifest.metadata;
  return {
    ...manifest,
    metadata: {
      ...live.metadata,
      labels: { ...live.metadata.labels, ...labels },
      annotations: { ...live.metadata.annotations, ...annotations },
      ownerReferences: owner ? withOwner(live.metadata.ownerReferences ?? [], owner) : (live.metadata.ownerReferences ?? []),
    },
  };
}

export function withOwner(references: readonly OwnerReference[], owner: OwnerReference): readonly OwnerReference[] {
  return references.some(({ uid }) => uid === owner.uid) ? references : [...references, owner];
}
