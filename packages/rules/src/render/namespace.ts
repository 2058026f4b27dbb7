import { DEFAULT_INSTALL_NAMESPACE } from '@outrigger/api';
import { type Json, type JsonObject, isJsonObject } from '@outrigger/core';

/**
 * The requested namespace, or undefined to keep the namespaces of the manifests. In order of precedence: a value of the deployment config
 * other than the schema's default, a value of the add-on other than the default, and last the default as the deployment config's value.
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

/** If several Namespace manifests were moved, they have the same name, and only the last one is kept. */
export function withOneNamespace(moved: readonly JsonObject[]): readonly JsonObject[] {
  const last = moved.findLastIndex(isNamespace);
  return moved.filter((manifest, index) => index === last || !isNamespace(manifest));
}

function withNamespace(manifest: JsonObject, namespace: string): JsonObject {
  const metadata = metadataOf(manifest);
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

function metadataOf(manifest: JsonObject): JsonObject {
  return isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
}
