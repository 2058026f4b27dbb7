import type { WorkExecutor } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import {
  type Manifest,
  type WorkWorld,
  applied,
  conditionOf,
  configMap,
  configMaps,
  createWork,
  deleteWork,
  find,
  roleBindings,
  roles,
  workWith,
} from './world.js';

const RBAC = 'rbac.authorization.k8s.io/v1';

function role(namespace: string, name: string, rules: readonly object[]): Manifest {
  return { apiVersion: RBAC, kind: 'Role', metadata: { namespace, name }, rules };
}

function binding(namespace: string, name: string, roleName: string, account: string): Manifest {
  return {
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata: { namespace, name },
    subjects: [{ kind: 'ServiceAccount', namespace, name: account }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: roleName },
  };
}

const as = (namespace: string, name: string): { executor: WorkExecutor } => ({
  executor: { subject: { type: 'ServiceAccount', serviceAccount: { namespace, name } } },
});
const VERBS = ['get', 'create', 'update', 'patch', 'delete'];

async function grant(world: WorkWorld, namespace: string, account: string, rules: readonly object[]): Promise<void> {
  await world.cluster.create(roles, role(namespace, `${account}-role`, rules));
  await world.cluster.create(roleBindings, binding(namespace, `${account}-binding`, `${account}-role`, account));
}

/** What works may do in somebody else's name, on whatever server the world runs. */
export function describeExecutor(worldOf: () => WorkWorld): void {
  describe('AT-16 a work with an executor', () => {
    it('applies what the executor may, and says of the rest that it may not', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      await grant(world, namespace, 'runner', [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: VERBS }]);
      const work = await createWork(world, [configMap(namespace, 'mine'), configMap(namespace, 'other')], as(namespace, 'runner'));
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.status).toBe('True');
      expect(conditionOf(failed, 1, 'Applied')?.message).toBe(
        `Failed to apply manifest: not allowed to apply the resource  configmaps, ${namespace} other, will try again in 1m0s`,
      );
      expect(await find(world.cluster, configMaps, { namespace, name: 'other' })).toBeUndefined();
      await deleteWork(world, work);
    });

    it('needs the right to delete only for what goes with it', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const noDelete = VERBS.filter((verb) => verb !== 'delete');
      await grant(world, namespace, 'runner', [{ apiGroups: [''], resources: ['configmaps'], verbs: noDelete }]);
      const owning = await createWork(world, [configMap(namespace, 'owned')], as(namespace, 'runner'));
      const leaving = await createWork(world, [configMap(namespace, 'left')], {
        ...as(namespace, 'runner'),
        deleteOption: { propagationPolicy: 'Orphan' },
      });
      await applied(world, leaving);
      await workWith(world, owning, 'Applied', 'False');
      await deleteWork(world, owning);
      await deleteWork(world, leaving);
    });

    it('cannot hand out rights the executor does not have', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const manages = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: VERBS };
      await grant(world, namespace, 'runner', [manages, { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
      const modest = role(namespace, 'modest', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
      const greedy = role(namespace, 'greedy', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]);
      const work = await createWork(world, [modest, greedy], as(namespace, 'runner'));
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.status).toBe('True');
      expect(conditionOf(failed, 1, 'Applied')?.message).toBe(
        `Failed to apply manifest: not allowed to apply the resource rbac.authorization.k8s.io roles, ${namespace} greedy, ` +
          'error: permission escalation, will try again in 1m0s',
      );
      expect(await find(world.cluster, roles, { namespace, name: 'greedy' })).toBeUndefined();
      await deleteWork(world, work);
    });

    it('keeps what it applied when the rights are taken away', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      await grant(world, namespace, 'runner', [{ apiGroups: [''], resources: ['configmaps'], verbs: VERBS }]);
      const work = await createWork(world, [configMap(namespace, 'mine')], as(namespace, 'runner'));
      await applied(world, work);
      await world.cluster.delete(roleBindings, { namespace, name: 'runner-binding' });
      await world.pause(50);
      expect(await find(world.cluster, configMaps, { namespace, name: 'mine' })).toBeDefined();
      await deleteWork(world, work);
    });
  });
}
