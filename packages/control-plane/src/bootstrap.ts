import type { Kind, KubeObject } from '@outrigger/core';
import { bootstrapBindings, bootstrapRoles } from './authz/bootstrap-policy.js';
import { accepting } from './controllers/accepting.js';
import type { ControllerContext } from './controllers/contract.js';
import { lookUp } from './controllers/follow.js';
import { clusterRoleBindings, clusterRoles, namespaces } from './controllers/kinds.js';
import { FIRST_NAMESPACES } from './controllers/namespaces/permanent.js';
import { DEFINITIONS } from './registry/crd/definition.js';

/**
 * Creates the objects that a server must have before its first request, if they do not exist: namespaces, default roles, and the given
 * CRDs.
 */
export async function bootstrap(context: ControllerContext, crds: readonly KubeObject[]): Promise<void> {
  for (const name of FIRST_NAMESPACES) {
    await ensure(context, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  for (const role of bootstrapRoles()) await ensure(context, clusterRoles, role);
  for (const binding of bootstrapBindings()) await ensure(context, clusterRoleBindings, binding);
  for (const crd of crds) await ensureDefinition(context, crd);
}

async function ensure({ api, store }: ControllerContext, kind: Kind, object: KubeObject): Promise<void> {
  if (lookUp(store, kind, object.metadata.name ?? '')) return;
  await accepting(api.create(kind, object), 'AlreadyExists');
}

/** Creates or updates a CRD, so that the CRDs of a newer program replace those that an older program stored. */
async function ensureDefinition(context: ControllerContext, crd: KubeObject): Promise<void> {
  const found = lookUp(context.store, DEFINITIONS, crd.metadata.name ?? '');
  if (!found) return ensure(context, DEFINITIONS, crd);
  const { resourceVersion } = found.metadata;
  await context.api.replace(DEFINITIONS, { ...crd, metadata: { ...crd.metadata, ...(resourceVersion ? { resourceVersion } : {}) } });
}
