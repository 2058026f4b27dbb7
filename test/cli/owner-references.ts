import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  WORK_ROLE,
  addOnRollouts,
  clusterRoleBindings,
  managedClusterSets,
  managedClusters,
  manifestWorks,
  roleBindings,
} from '@outrigger/api';
import { type JsonObject, type Kind, type ObjectKey, isApiError } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';
import { expect } from 'vitest';
import { type PeopleWorld, impersonating } from './people.js';

const RBAC = 'rbac.authorization.k8s.io';
const NAMESPACE = 'cluster1';
/** A reference to an owner that does not exist. If an object has no other owner, the garbage collector deletes the object. */
const NOBODY = [{ apiVersion: 'v1', kind: 'Namespace', name: 'nobody', uid: 'nobody' }];

interface Attempt {
  readonly role: string;
  readonly kind: Kind;
  readonly key: ObjectKey;
  readonly mayDelete: boolean;
}

const ATTEMPTS: readonly Attempt[] = [
  { role: 'outrigger:fleet-admin', kind: managedClusters, key: { name: 'cluster1' }, mayDelete: false },
  { role: 'outrigger:fleet-admin', kind: addOnRollouts, key: { name: 'metrics' }, mayDelete: false },
  { role: 'outrigger:fleet-admin', kind: managedClusterSets, key: { name: 'global' }, mayDelete: true },
  { role: 'outrigger:approver', kind: managedClusters, key: { name: 'cluster1' }, mayDelete: true },
  { role: WORK_ROLE, kind: manifestWorks, key: { namespace: NAMESPACE, name: 'addon-metrics-deploy-0' }, mayDelete: false },
];

/** A user or agent that may update an object, but not delete it, cannot make the garbage collector delete it. */
export async function keepsOwners(world: PeopleWorld): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-owners-'));
  const outcomes: Record<string, readonly string[]> = {};
  try {
    for (const [index, attempt] of ATTEMPTS.entries()) {
      const user = `owners-${index}`;
      await bind(world.hub, attempt.role, user);
      const kubeconfig = join(folder, user);
      await writeFile(kubeconfig, impersonating(world.adminKubeconfig, user, NAMESPACE));
      outcomes[named(attempt)] = await answersTo(world, kubeconfig, attempt);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  expect(outcomes).toEqual(
    Object.fromEntries(
      ATTEMPTS.map((attempt) => [named(attempt), ['label: allowed', `owner: ${attempt.mayDelete ? 'allowed' : 'Forbidden'}`]]),
    ),
  );
}

const named = ({ role, kind }: Attempt): string => `${role} ${kind.plural}`;

async function bind(hub: Client, role: string, user: string): Promise<void> {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role } as const;
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: user }] as const;
  const object = { apiVersion: `${RBAC}/v1`, roleRef, subjects };
  if (role === WORK_ROLE)
    await hub.create(roleBindings, { ...object, kind: 'RoleBinding', metadata: { name: user, namespace: NAMESPACE } });
  else await hub.create(clusterRoleBindings, { ...object, kind: 'ClusterRoleBinding', metadata: { name: user } });
}

async function answersTo({ runtime, eventually }: PeopleWorld, kubeconfig: string, { kind, key }: Attempt): Promise<readonly string[]> {
  const { connection } = await loadConnection({ kubeconfig });
  const transport = createHttpTransport(connection, runtime, { protocol: 'http/1.1' });
  const user = createClient({ transport, runtime });
  const answer = (metadata: JsonObject): Promise<string> =>
    user.patch(kind, key, { type: 'merge', patch: { metadata } }, { dryRun: true }).then(
      () => 'allowed',
      (error: unknown) => {
        if (isApiError(error)) return error.reason;
        throw error;
      },
    );
  try {
    await eventually('the role is aggregated', async () => ((await answer({ labels: { note: 'x' } })) === 'allowed' ? true : undefined));
    return [`label: ${await answer({ labels: { note: 'x' } })}`, `owner: ${await answer({ ownerReferences: NOBODY })}`];
  } finally {
    await transport.close();
  }
}
