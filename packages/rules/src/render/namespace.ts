import { DEFAULT_INSTALL_NAMESPACE } from '@outrigger/api';
import { type Json, type JsonObject, isJsonObject, objectOrEmpty } from '@outrigger/core';

/**
 * Returns the requested namespace, or undefined to keep the namespaces of the manifests. In order of precedence: the deployment config's
 * value if it is not the schema's default, the add-on's value if it is not the default, and the deployment config's value if it is the
 * default.
 */
export function requestedNamespace(addOn: string | undefined, deploymentConfig: string | undefined): string | undefined {
  const config = deploymentConfig || undefined;
  if (config !== undefined && config !== DEFAULT_INSTALL_NAMESPACE) return config;
  if (addOn && addOn !== DEFAULT_INSTALL_NAMESPACE) return addOn;
  return config;
}

/** Moves a namespaced object, the subjects of a binding, or a Namespace object itself to a namespace. */
export function moveToNamespace(manifest: JsonObject, namespace: string): JsonObject {
  return withSubjects(withNamespace(manifest, namespace), namespace);
}

/** Moved Namespace manifests all have the same name, so only the last one is kept. */
export function withOneNamespace(moved: readonly JsonObject[]): readonly JsonObject[] {
  const last = moved.findLastIndex(isNamespace);
  return moved.filter((manifest, index) => index === last || !isNamespace(manifest));
}

function withNamespace(manifest: JsonObject, namespace: string): JsonObject {
  const metadata = objectOrEmpty(manifest['metadata']);
  if (isNamespace(manifest)) return { ...manifest, metadata: { ...metadata, name: namespace } };
  return metadata['namespace'] === undefined ? manifest : { ...manifest, metadata: { ...metadata, namespace } };
}

function withSubjects(manifest: JsonObject, namespace: string): JsonObject {
  const isBinding = manifest['kind'] === 'RoleBinding' || manifest['kind'] === 'ClusterRoleBinding';
  const subjects = manifest['subjects'];
  if (!isBinding || !Array.isArray(subjects)) return manifest;
  const moved = (subjects as readonly Json[]).map((subject) =>
    isJsonObject(subject) && subject['kind'] === 'ServiceAccount' ? { ...subject, namespace } : subject,
  );
  return { ...manifest, subjects: moved };
}

export function isNamespace(manifest: JsonObject): boolean {
  return manifest['kind'] === 'Namespace' && manifest['apiVersion'] === 'v1';
}
