import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ManagedClusterAddOn, managedClusterAddOns, roleBindings } from '@outrigger/api';
import { apiVersionOf, isApiError } from '@outrigger/core';
import { createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';
import { expect } from 'vitest';
import { type PeopleWorld, impersonating } from './people.js';

const RBAC = 'rbac.authorization.k8s.io';
const NAMESPACE = 'cluster1';
const REVISION = 'outrigger.dev/revision';
const HOOKS = 'outrigger.dev/pre-delete-manifests';
/** A manifest that would make its author an administrator of the cluster. */
const TAKEOVER = JSON.stringify([{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'mine' } }]);

/**
 * The owner of a cluster may write ManagedClusterAddOns, but not the annotations from which the manager derives ManifestWorks and hub
 * permissions. The test uses every kind of write and every API version.
 */
export async function keepsTheManagersAnnotations(world: PeopleWorld): Promise<void> {
  const { hub, runtime, eventually } = world;
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-owner-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, impersonating(world.adminKubeconfig, 'oscar', NAMESPACE));
  const { connection } = await loadConnection({ kubeconfig });
  const transport = createHttpTransport(connection, runtime, { protocol: 'http/1.1' });
  const owner = createClient({ transport, runtime });
  const key = { namespace: NAMESPACE, name: 'annotated' };
  const object = (annotations: Readonly<Record<string, string>>): ManagedClusterAddOn => ({
    apiVersion: apiVersionOf(managedClusterAddOns),
    kind: managedClusterAddOns.kind,
    metadata: { ...key, annotations },
    spec: {},
  });
  const answer = (write: Promise<unknown>): Promise<string> =>
    write.then(
      () => 'allowed',
      (error: unknown) => {
        if (isApiError(error)) return error.reason;
        throw error;
      },
    );
  const patched = (annotations: Readonly<Record<string, string | null>>): Promise<string> =>
    answer(owner.patch(managedClusterAddOns, key, { type: 'merge', patch: { metadata: { annotations } } }));
  try {
    await hub.create(roleBindings, {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'annotator', namespace: NAMESPACE },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'outrigger:cluster-owner' },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: 'oscar' }],
    });
    await eventually('the role is aggregated', async () =>
      (await answer(owner.create(managedClusterAddOns, object({ note: 'mine' }), { dryRun: true }))) === 'allowed' ? true : undefined,
    );
    for (const forged of [{ [REVISION]: '1' }, { [HOOKS]: TAKEOVER }, { [REVISION]: '' }]) {
      expect(await answer(owner.create(managedClusterAddOns, object(forged))), `create ${JSON.stringify(forged)}`).toBe('Forbidden');
      const applied = owner.apply(managedClusterAddOns, object(forged), { fieldManager: 'outrigger-hub', force: true });
      expect(await answer(applied), `apply ${JSON.stringify(forged)}`).toBe('Forbidden');
    }
    // The administrator creates the object as the manager would. The owner then tries every change to its annotations.
    await hub.create(managedClusterAddOns, object({ [REVISION]: '3', [HOOKS]: '[]' }));
    expect(await patched({ [REVISION]: '1' })).toBe('Forbidden');
    expect(await patched({ [REVISION]: null })).toBe('Forbidden');
    expect(await patched({ [HOOKS]: TAKEOVER })).toBe('Forbidden');
    expect(await patched({ [HOOKS]: null, note: 'x' })).toBe('Forbidden');
    const remove = { op: 'remove', path: `/metadata/annotations/${REVISION.replace('/', '~1')}` } as const;
    expect(await answer(owner.patch(managedClusterAddOns, key, { type: 'json', patch: [remove] }))).toBe('Forbidden');
    const live = await owner.get(managedClusterAddOns, key);
    const replaced = { ...live, metadata: { ...live.metadata, annotations: {} } };
    expect(['Forbidden', 'Conflict']).toContain(await answer(owner.replace(managedClusterAddOns, replaced)));
    expect(await patched({ note: 'mine' })).toBe('allowed');
    const { metadata } = await hub.get(managedClusterAddOns, key);
    expect(metadata.annotations).toMatchObject({ [HOOKS]: '[]', note: 'mine' });
    await hub.delete(managedClusterAddOns, key);
  } finally {
    await transport.close();
    await rm(folder, { recursive: true });
  }
}
