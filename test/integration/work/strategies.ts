import { findCondition } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { prepare } from '../../../packages/agent/src/work/manifest/normalize.js';
import {
  type Manifest,
  type AgentWorld,
  applied,
  claims,
  conditionOf,
  configMap,
  configMaps,
  createWork,
  deleteWork,
  deployment,
  deployments,
  editWork,
  find,
  jobs,
  manifestOf,
  roleBindings,
  secrets,
  treat,
  workWith,
} from './world.js';

interface ConfigMapData {
  readonly data?: Readonly<Record<string, string>>;
}

/** Defines the tests of the update strategies. The tests run on any server. */
export function describeStrategies(worldOf: () => AgentWorld): void {
  describe('Update', () => {
    it('creates, replaces changed fields, merges metadata, keeps finalizers and writes as work-agent', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'settings' };
      const first = configMap(namespace, 'settings', { a: '1', b: '2' }, { labels: { ours: 'yes' } });
      const work = await createWork(world, [first]);
      await applied(world, work);
      const patch = { metadata: { labels: { theirs: 'yes' }, annotations: { theirs: 'x' }, finalizers: ['example.com/keep'] } };
      await world.cluster.patch(configMaps, key, { type: 'merge', patch });

      await editWork(world, work, [configMap(namespace, 'settings', { a: '3' }, { labels: { ours: 'still' } })]);
      await applied(world, work);
      const live = (await world.cluster.get(configMaps, key)) as Awaited<ReturnType<typeof world.cluster.get>> & ConfigMapData;
      expect(live.data).toEqual({ a: '3' });
      expect(live.metadata.labels).toEqual({ ours: 'still', theirs: 'yes' });
      expect(live.metadata.annotations).toEqual({ theirs: 'x' });
      expect(live.metadata.finalizers).toEqual(['example.com/keep']);
      expect((live.metadata.managedFields ?? []).map(({ manager }) => manager)).toContain('work-agent');
      await world.cluster.patch(configMaps, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
      await deleteWork(world, work);
    });

    it('repairs drift and a deletion as soon as it observes them', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'settings' };
      const work = await createWork(world, [configMap(namespace, 'settings')]);
      await applied(world, work);
      await world.cluster.patch(configMaps, key, { type: 'merge', patch: { data: { a: 'drifted' } } });
      await world.eventually('the drift is repaired', async () => {
        const live = (await find(world.cluster, configMaps, key)) as ConfigMapData | undefined;
        return live?.data?.['a'] === '1' ? true : undefined;
      });
      const before = await world.cluster.get(configMaps, key);
      await world.cluster.delete(configMaps, key);
      await world.eventually('it is made again', async () => {
        const live = await find(world.cluster, configMaps, key);
        return live && live.metadata.uid !== before.metadata.uid ? true : undefined;
      });
      await deleteWork(world, work);
    });

    it('leaves a Deployment alone that only the server completed, and its generation with it', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const work = await createWork(world, [deployment(namespace, 'app')]);
      await applied(world, work);
      await world.settled();
      expect((await world.cluster.get(deployments, { namespace, name: 'app' })).metadata.generation).toBe(1);
      await deleteWork(world, work);
    });

    it('updates kinds that the server completes on creation', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const manifests = (label: string, parallelism: number): Manifest[] => {
        const metadata = (name: string): Manifest['metadata'] => ({ namespace, name, labels: { label } });
        const podSpec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/job:1' }] };
        return [
          { apiVersion: 'v1', kind: 'Service', metadata: metadata('service'), spec: { selector: { app: 'x' }, ports: [{ port: 80 }] } },
          { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata('account') },
          { apiVersion: 'batch/v1', kind: 'Job', metadata: metadata('job'), spec: { parallelism, template: { spec: podSpec } } },
          { apiVersion: 'v1', kind: 'Pod', metadata: metadata('pod'), spec: podSpec },
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: metadata('claim'),
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
          },
        ];
      };
      const work = await createWork(world, manifests('one', 1));
      await workWith(world, work, 'Applied', 'True');
      await editWork(world, work, manifests('two', 2));
      const done = await workWith(world, work, 'Applied', 'True');
      expect(done.status?.resourceStatus?.manifests?.map((_, ordinal) => conditionOf(done, ordinal, 'Applied')?.message)).toEqual(
        Array.from({ length: 5 }, () => 'Apply manifest complete'),
      );
      const job = (await world.cluster.get(jobs, { namespace, name: 'job' })) as Manifest & { spec: { parallelism: number } };
      expect([job.metadata.labels?.['label'], job.spec.parallelism]).toEqual(['two', 2]);
      // Remove the claim's finalizer, because no controller runs here that would do so, and the deletion would never end.
      const unprotected = { metadata: { finalizers: null } };
      await world.cluster.patch(claims, { namespace, name: 'claim' }, { type: 'merge', patch: unprotected });
      await deleteWork(world, work);
    });

    it('creates a Secret again when its type changes, and reveals nothing of its content', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'credentials' };
      const secret = (type: string, data: object): Parameters<typeof createWork>[1][number] => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: key,
        type,
        stringData: data,
      });
      const work = await createWork(world, [secret('Opaque', { password: 'hunter2' })]);
      await applied(world, work);
      const before = await world.cluster.get(secrets, key);
      await editWork(world, work, [secret('kubernetes.io/basic-auth', { username: 'u', password: 'hunter2' })]);
      await applied(world, work);
      const after = (await world.cluster.get(secrets, key)) as typeof before & { type?: string };
      expect(after.type).toBe('kubernetes.io/basic-auth');
      expect(after.metadata.uid).not.toBe(before.metadata.uid);
      await editWork(world, work, [secret('kubernetes.io/dockerconfigjson', { password: 'hunter2' })]);
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(JSON.stringify(failed.status)).not.toContain('hunter2');
      await deleteWork(world, work);
    });

    it('fails visibly if a binding would get another role, and applies the rest', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const binding = (role: string): Parameters<typeof createWork>[1][number] => ({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { namespace, name: 'binding' },
        subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      });
      const work = await createWork(world, [configMap(namespace, 'settings'), binding('view')]);
      await applied(world, work);
      await editWork(world, work, [configMap(namespace, 'settings', { a: '2' }), binding('edit')]);
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(findCondition(failed.status?.conditions, 'Applied')?.message).toBe(
        `Failed to apply manifest work: RoleBinding ${namespace}/binding`,
      );
      expect(conditionOf(failed, 1, 'Applied')?.message).toMatch(/^Failed to apply manifest: .*roleRef/);
      expect(conditionOf(failed, 0, 'Applied')?.status).toBe('True');
      const live = (await world.cluster.get(roleBindings, { namespace, name: 'binding' })) as { roleRef?: { name: string } };
      expect(live.roleRef?.name).toBe('view');
      await deleteWork(world, work);
    });
  });

  describe('CreateOnly', () => {
    it('creates the object once and never changes it', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const strategy = treat(configMaps, { updateStrategy: { type: 'CreateOnly' } });
      const work = await createWork(world, [configMap(namespace, 'settings')], strategy);
      await applied(world, work);
      await editWork(world, work, [configMap(namespace, 'settings', { a: 'new' })]);
      await applied(world, work);
      const live = (await world.cluster.get(configMaps, { namespace, name: 'settings' })) as ConfigMapData;
      expect(live.data).toEqual({ a: '1' });
      await deleteWork(world, work);
      expect(await find(world.cluster, configMaps, { namespace, name: 'settings' })).toBeUndefined();
    });
  });

  describe('ReadOnly', () => {
    it('writes nothing, reports the existing object, and keeps it when the work is deleted', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'settings' };
      const config = treat(configMaps, {
        updateStrategy: { type: 'ReadOnly' },
        feedbackRules: [{ type: 'JSONPaths', jsonPaths: [{ name: 'a', path: '.data.a' }] }],
      });
      const work = await createWork(world, [configMap(namespace, 'settings')], config);
      const missing = await workWith(world, work, 'Applied', 'True');
      expect((await workWith(world, work, 'Available', 'False')).metadata.name).toBe(missing.metadata.name);
      expect(await find(world.cluster, configMaps, key)).toBeUndefined();
      await world.cluster.create(configMaps, configMap(namespace, 'settings', { a: 'theirs' }));
      const work2 = await workWith(world, work, 'Available', 'True');
      expect(manifestOf(work2, 0).statusFeedback?.values).toEqual([{ name: 'a', fieldValue: { type: 'String', string: 'theirs' } }]);
      await deleteWork(world, work);
      expect((await world.cluster.get(configMaps, key)).metadata.ownerReferences ?? []).toEqual([]);
    });
  });

  describe('ServerSideApply', () => {
    const serverSideApply = (settings: object = {}): Parameters<typeof createWork>[2] =>
      treat(deployments, { updateStrategy: { type: 'ServerSideApply', serverSideApply: settings } });

    it('shares the object, does not bump the generation for a null time, and owns it within the apply', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'app' };
      const work = await createWork(world, [deployment(namespace, 'app')], serverSideApply());
      await applied(world, work);
      const live = await world.cluster.get(deployments, key);
      expect(live.metadata.generation).toBe(1);
      expect(live.metadata.ownerReferences).toHaveLength(1);
      const managers = (live.metadata.managedFields ?? []).filter(({ subresource }) => !subresource);
      expect(managers.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual(['work-agent Apply']);
      await deleteWork(world, work);
    });

    it('reports a conflict and takes fields over only by force', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'app' };
      await world.cluster.apply(deployments, prepare(deployment(namespace, 'app', 2)).object, { fieldManager: 'somebody-else' });
      const work = await createWork(world, [deployment(namespace, 'app', 5)], serverSideApply());
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.message).toContain('conflict');
      await editWork(world, work, [deployment(namespace, 'app', 5)], serverSideApply({ force: true }));
      await applied(world, work);
      expect(((await world.cluster.get(deployments, key)) as { spec?: { replicas?: number } }).spec?.replicas).toBe(5);
      await deleteWork(world, work);
    });

    it('repairs a field that another manager took', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'app' };
      const work = await createWork(world, [deployment(namespace, 'app', 2)], serverSideApply({ force: true }));
      await applied(world, work);
      await world.cluster.patch(deployments, key, { type: 'merge', patch: { spec: { replicas: 7 } } }, { fieldManager: 'drift' });
      await world.eventually('the field is ours again', async () => {
        const live = (await world.cluster.get(deployments, key)) as { spec?: { replicas?: number } };
        return live.spec?.replicas === 2 ? true : undefined;
      });
      await deleteWork(world, work);
    });

    it('sets OnSpokePresent fields once and sends OnSpokeChange fields only with a new manifest', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'app' };
      const replicas = async (): Promise<number | undefined> =>
        ((await world.cluster.get(deployments, key)) as { spec?: { replicas?: number } }).spec?.replicas;
      const present = serverSideApply({ force: true, ignoreFields: [{ condition: 'OnSpokePresent', jsonPaths: ['.spec.replicas'] }] });
      const work = await createWork(world, [deployment(namespace, 'app', 2)], present);
      await applied(world, work);
      expect(await replicas()).toBe(2);
      await world.cluster.patch(deployments, key, { type: 'merge', patch: { spec: { replicas: 7 } } }, { fieldManager: 'scaler' });
      await editWork(world, work, [{ ...deployment(namespace, 'app', 3), metadata: { namespace, name: 'app', labels: { new: 'label' } } }]);
      await world.eventually('the label arrives', async () =>
        (await world.cluster.get(deployments, key)).metadata.labels?.['new'] === 'label' ? true : undefined,
      );
      expect(await replicas()).toBe(7);

      const change = serverSideApply({ force: true, ignoreFields: [{ condition: 'OnSpokeChange', jsonPointers: ['/spec/replicas'] }] });
      await editWork(world, work, [deployment(namespace, 'app', 4)], change);
      await world.eventually('the new manifest is sent', async () => ((await replicas()) === 4 ? true : undefined));
      await world.cluster.patch(deployments, key, { type: 'merge', patch: { spec: { replicas: 9 } } }, { fieldManager: 'scaler' });
      await world.settled();
      expect(await replicas()).toBe(9);
      await deleteWork(world, work);
    });

    it('keeps an ignored field that no other manager has taken', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'app' };
      const config = serverSideApply({ ignoreFields: [{ condition: 'OnSpokePresent', jsonPaths: ['.spec.replicas'] }] });
      const work = await createWork(world, [deployment(namespace, 'app', 3)], config);
      await applied(world, work);
      await editWork(world, work, [{ ...deployment(namespace, 'app', 8), metadata: { namespace, name: 'app', labels: { new: 'label' } } }]);
      await world.eventually('the label arrives', async () =>
        (await world.cluster.get(deployments, key)).metadata.labels?.['new'] === 'label' ? true : undefined,
      );
      expect(((await world.cluster.get(deployments, key)) as { spec?: { replicas?: number } }).spec?.replicas).toBe(3);
      await deleteWork(world, work);
    });

    it('keeps an ignored field of a container that no other manager has taken', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'app' };
      const jsonPaths = ['.spec.template.spec.containers[*].image'];
      const config = serverSideApply({ ignoreFields: [{ condition: 'OnSpokePresent', jsonPaths }] });
      const work = await createWork(world, [deployment(namespace, 'app', 3)], config);
      await applied(world, work);
      const image = async (): Promise<unknown> =>
        ((await world.cluster.get(deployments, key)) as unknown as { spec: { template: { spec: { containers: { image: string }[] } } } })
          .spec.template.spec.containers[0]?.image;
      const first = await image();
      await editWork(world, work, [{ ...deployment(namespace, 'app', 3), metadata: { namespace, name: 'app', labels: { new: 'label' } } }]);
      await world.eventually('the label arrives', async () =>
        (await world.cluster.get(deployments, key)).metadata.labels?.['new'] === 'label' ? true : undefined,
      );
      expect(await image()).toBe(first);
      await deleteWork(world, work);
    });

    it('reports which ignored path it cannot read', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const ignoring = serverSideApply({ ignoreFields: [{ condition: 'OnSpokePresent', jqPathExpressions: ['.spec | keys'] }] });
      const work = await createWork(world, [deployment(namespace, 'app')], ignoring);
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')).toMatchObject({
        reason: 'AppliedManifestSSAIgnoreFieldError',
        message: expect.stringContaining('Failed to process ignoreFields: jq expression ".spec | keys"') as string,
      });
      await deleteWork(world, work);
    });
  });
}
