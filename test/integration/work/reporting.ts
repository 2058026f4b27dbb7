import { type ManifestConfig, type ManifestWork, RENDER_INPUTS_ANNOTATION, pods } from '@outrigger/api';
import { type Condition, type JsonObject, type Kind, type KubeObject, type ObjectKey, findCondition, toTime } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import {
  CLUSTER_NAME,
  type Manifest,
  type AgentWorld,
  applied,
  clusterRoles,
  conditionOf,
  configMap,
  configMaps,
  createWork,
  crds,
  deleteWork,
  deployment,
  deployments,
  editWork,
  find,
  jobs,
  manifestOf,
  treat,
  workOf,
  workWith,
} from './world.js';

const told = (condition: Condition | undefined): string => `${condition?.status} ${condition?.reason}: ${condition?.message}`;

/** Defines the tests of the status of a work. The tests run on any server. */
export function describeReporting(worldOf: () => AgentWorld): void {
  describe('conditions', () => {
    it('are reported for each manifest in the order of the spec, whatever the order of applying', async () => {
      const world = worldOf();
      const namespace = world.unique('ns');
      const role: Manifest = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: world.unique('role'), namespace: 'odd' },
        rules: [],
      };
      const space: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      const work = await createWork(world, [configMap(namespace, 'settings'), role, space]);
      const done = await applied(world, work);
      expect(done.status?.resourceStatus?.manifests?.map(({ resourceMeta }) => resourceMeta)).toEqual([
        { ordinal: 0, group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', name: 'settings', namespace },
        {
          ordinal: 1,
          group: 'rbac.authorization.k8s.io',
          version: 'v1',
          kind: 'ClusterRole',
          resource: 'clusterroles',
          name: role.metadata.name,
          namespace: '',
        },
        { ordinal: 2, group: '', version: 'v1', kind: 'Namespace', resource: 'namespaces', name: namespace, namespace: '' },
      ]);
      expect(await world.cluster.get(clusterRoles, { name: role.metadata.name ?? '' })).toBeDefined();
      expect(manifestOf(done, 0).conditions.map(({ type, ...rest }) => `${type} ${told({ type, ...rest })}`)).toEqual([
        'Applied True AppliedManifestComplete: Apply manifest complete',
        'Available True ResourceAvailable: Resource is available',
        'StatusFeedbackSynced True NoStatusFeedbackSynced: ',
      ]);
      expect(told(findCondition(done.status?.conditions, 'Applied'))).toBe(
        'True AppliedManifestWorkComplete: Apply manifest work complete',
      );
      expect(told(findCondition(done.status?.conditions, 'Available'))).toBe('True ResourcesAvailable: All resources are available');
      await deleteWork(world, work);
    });

    it('Applied is written again for a new generation, Available is not', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const work = await createWork(world, [configMap(namespace, 'settings')]);
      const before = await applied(world, work);
      // Times of conditions are whole seconds, so the next transition must be in a later second.
      const reported = conditionOf(before, 0, 'Applied')?.lastTransitionTime;
      await world.eventually('the next second', async () => (toTime(world.clock.now()) === reported ? undefined : true));
      await editWork(world, work, [configMap(namespace, 'settings', { a: '2' })]);
      const after = await applied(world, work);
      expect(manifestOf(after, 0).conditions.at(-1)?.type).toBe('Applied');
      expect(conditionOf(after, 0, 'Applied')?.lastTransitionTime).not.toBe(conditionOf(before, 0, 'Applied')?.lastTransitionTime);
      expect(conditionOf(after, 0, 'Available')?.lastTransitionTime).toBe(conditionOf(before, 0, 'Available')?.lastTransitionTime);
      expect(conditionOf(after, 0, 'Available')?.observedGeneration).toBe(after.metadata.generation);
      await deleteWork(world, work);
    });

    it('name a kind that is not served; it is applied once the kind is served, and reported when it no longer is', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const plural = `gadgets${world.unique('').replaceAll('-', '')}`;
      const crd: Manifest = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.example.com` },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural, singular: plural.slice(0, -1), kind: `Kind${plural}`, listKind: `Kind${plural}List` },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      };
      const gadget: Manifest = {
        apiVersion: 'example.com/v1',
        kind: `Kind${plural}`,
        metadata: { namespace, name: 'one' },
        spec: { size: 3 },
      };
      const work = await createWork(world, [gadget, configMap(namespace, 'settings')]);
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.message).toBe(
        `Failed to apply manifest: the server doesn't have a resource type "Kind${plural}"`,
      );
      expect(told(conditionOf(failed, 0, 'Available'))).toBe('Unknown IncompleteResourceMeta: Resource meta is incomplete');
      expect(conditionOf(failed, 1, 'Applied')?.status).toBe('True');
      await editWork(world, work, [gadget, configMap(namespace, 'settings'), crd]);
      await applied(world, work);
      await editWork(world, work, [gadget, configMap(namespace, 'settings')]);
      await world.eventually('the object is told gone with its kind', async () =>
        conditionOf(await workOf(world, work), 0, 'Available')?.status === 'True' ? undefined : true,
      );
      await deleteWork(world, work);
      expect(await find(world.cluster, crds, { name: `${plural}.example.com` })).toBeUndefined();
    });
  });

  describe('feedback', () => {
    it('reports well-known values in their order, and the values at JSON paths', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const config = treat(deployments, {
        feedbackRules: [
          { type: 'WellKnownStatus' },
          {
            type: 'JSONPaths',
            jsonPaths: [
              { name: 'Wanted', path: '.spec.replicas' },
              { name: 'Missing', path: '.spec.nothing' },
              { name: 'List', path: '.spec.template.spec.containers' },
            ],
          },
        ],
      });
      const work = await createWork(world, [deployment(namespace, 'app', 2)], config);
      await workWith(world, work, 'Applied', 'True');
      await world.cluster.patch(
        deployments,
        { namespace, name: 'app' },
        { type: 'merge', patch: { status: { replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2 } } },
        { subresource: 'status' },
      );
      const done = await world.eventually('all values', async () => {
        const found = await workOf(world, work);
        return (found.status?.resourceStatus?.manifests?.[0]?.statusFeedback?.values ?? []).length === 4 ? found : undefined;
      });
      expect(manifestOf(done, 0).statusFeedback?.values).toEqual([
        { name: 'ReadyReplicas', fieldValue: { type: 'Integer', integer: 2 } },
        { name: 'Replicas', fieldValue: { type: 'Integer', integer: 2 } },
        { name: 'AvailableReplicas', fieldValue: { type: 'Integer', integer: 2 } },
        { name: 'Wanted', fieldValue: { type: 'Integer', integer: 2 } },
      ]);
      expect(conditionOf(done, 0, 'StatusFeedbackSynced')).toMatchObject({ status: 'False', reason: 'StatusFeedbackSyncFailed' });
      await deleteWork(world, work);
    });

    it('reports that other kinds have no well-known status', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const work = await createWork(
        world,
        [configMap(namespace, 'x')],
        treat(configMaps, { feedbackRules: [{ type: 'WellKnownStatus' }] }),
      );
      const done = await applied(world, work);
      expect(conditionOf(done, 0, 'StatusFeedbackSynced')?.message).toMatch(
        /^Sync status feedback failed with error cannot find the wellknown statuses/,
      );
      await deleteWork(world, work);
    });
  });

  describe('condition rules', () => {
    it('are evaluated per manifest and aggregated, and go with the rule', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const rule = {
        condition: 'Ready',
        type: 'CEL',
        celExpressions: ['object.data.a == "yes"'],
        messageExpression: 'result ? "ready" : "a is " + object.data.a',
      } as const;
      const manifests = [configMap(namespace, 'one', { a: 'yes' }), configMap(namespace, 'two', { a: 'no' })];
      const work = await createWork(world, manifests, treat(configMaps, { conditionRules: [rule] }));
      const done = await workWith(world, work, 'Ready', 'False');
      expect(told(conditionOf(done, 0, 'Ready'))).toBe('True ConditionRuleEvaluated: ready');
      expect(told(conditionOf(done, 1, 'Ready'))).toBe('False ConditionRuleEvaluated: a is no');
      expect(told(findCondition(done.status?.conditions, 'Ready'))).toBe(
        'False ConditionRulesAggregated: Aggregated from 2 manifest conditions',
      );
      await editWork(world, work, manifests, { manifestConfigs: [] });
      await world.eventually('the conditions are gone', async () => {
        const found = await workOf(world, work);
        return findCondition(found.status?.conditions, 'Ready') || conditionOf(found, 0, 'Ready') ? undefined : true;
      });
      await deleteWork(world, work);
    });

    it('Complete freezes the work for good', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const job: Manifest = {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { namespace, name: 'once' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/job:1' }] } } },
      };
      const config = treat(jobs, { conditionRules: [{ condition: 'Complete', type: 'WellKnownConditions' }] });
      const work = await createWork(world, [job], config);
      await workWith(world, work, 'Applied', 'True');
      const finish = {
        type: 'Complete',
        status: 'True',
        lastProbeTime: '2026-01-01T00:00:00Z',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      };
      const suffices = { ...finish, type: 'SuccessCriteriaMet' };
      const live = (await world.cluster.get(jobs, { namespace, name: 'once' })) as { status?: { conditions?: unknown[] } };
      if (!live.status?.conditions) {
        const status = {
          startTime: '2026-01-01T00:00:00Z',
          completionTime: '2026-01-01T00:00:00Z',
          succeeded: 1,
          conditions: [suffices, finish],
        };
        await world.cluster.patch(jobs, { namespace, name: 'once' }, { type: 'merge', patch: { status } }, { subresource: 'status' });
      }
      const complete = await workWith(world, work, 'Complete', 'True');
      expect(findCondition(complete.status?.conditions, 'Complete')?.message).toBe('Job is finished');
      await editWork(world, work, [job, configMap(namespace, 'late')]);
      await world.settled();
      expect(await find(world.cluster, configMaps, { namespace, name: 'late' })).toBeUndefined();
      await deleteWork(world, work);
    });
  });

  describe('drift', () => {
    it('is repaired and reported in one Event for each object, however often it happens within a minute', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const work = await createWork(world, [configMap(namespace, 'settings'), configMap(namespace, 'other')]);
      await applied(world, work);
      for (const value of ['by hand', 'again']) {
        const key = { namespace, name: 'settings' };
        await world.cluster.patch(configMaps, key, { type: 'merge', patch: { data: { a: value } } });
        await world.eventually('the agent puts it back', async () =>
          ((await world.cluster.get(configMaps, key)) as { data?: Record<string, string> }).data?.['a'] === '1' ? true : undefined,
        );
      }
      const [event, ...more] = await world.eventually('the Event', async () => {
        const found = await eventsOf(world, work);
        return found.length > 0 ? found : undefined;
      });
      expect(more).toEqual([]);
      expect(event).toMatchObject({
        reason: 'DriftRepaired',
        message: expect.stringContaining(`ConfigMap ${namespace}/settings was changed`) as string,
      });
      await deleteWork(world, work);
    });
  });

  it('the agent keeps the annotation with which kubectl restarts a workload', async () => {
    const world = worldOf();
    const namespace = await world.newNamespace();
    const work = await createWork(world, [deployment(namespace, 'web')]);
    await applied(world, work);
    const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' };
    const key = { namespace, name: 'web' };
    await world.cluster.patch(deployments, key, { type: 'merge', patch: { spec: { template: { metadata: { annotations } } } } });
    await world.settled();
    expect(await world.cluster.get(deployments, key)).toMatchObject({ spec: { template: { metadata: { annotations } } } });
    await deleteWork(world, work);
  });

  describe('a workload that is not ready', () => {
    it('gets the reason of its pods into the feedback, only for works that an Outrigger manager rendered', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const rules = (name: string): ManifestConfig => ({
        resourceIdentifier: { group: 'apps', resource: 'deployments', namespace, name },
        feedbackRules: [{ type: 'WellKnownStatus' }],
      });
      const broken = (name: string): Manifest => {
        const web = deployment(namespace, name);
        return { ...web, metadata: { ...web.metadata, annotations: { 'sim.outrigger.dev/behavior': 'fail' } } };
      };
      const [ours, theirs] = ['ours', 'theirs'];
      const rendered = await createWork(
        world,
        [broken(ours)],
        { manifestConfigs: [rules(ours)] },
        { annotations: { [RENDER_INPUTS_ANNOTATION]: 'x' } },
      );
      const other = await createWork(world, [broken(theirs)], { manifestConfigs: [rules(theirs)] });
      await Promise.all([applied(world, rendered), applied(world, other)]);
      for (const name of [ours, theirs]) await addFailingPod(world, namespace, name);
      const reason = await world.eventually('the reason is reported', async () => valueOf(await workOf(world, rendered), 'NotReadyReason'));
      expect(reason).toMatch(/^container main is waiting: ImagePullBackOff/);
      expect(valueOf(await workOf(world, other), 'NotReadyReason')).toBeUndefined();
      await deleteWork(world, rendered);
      await deleteWork(world, other);
    });
  });
}

interface Occurrence extends KubeObject {
  readonly involvedObject: { readonly name: string };
  readonly reason: string;
  readonly message: string;
}

const EVENTS: Kind<Occurrence> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

async function eventsOf({ hub }: AgentWorld, work: string): Promise<readonly Occurrence[]> {
  const { items } = await hub.list(EVENTS, { namespace: CLUSTER_NAME });
  return items.filter(({ involvedObject }) => involvedObject.name === work);
}

function valueOf(work: ManifestWork, name: string): string | undefined {
  return work.status?.resourceStatus?.manifests?.[0]?.statusFeedback?.values?.find((value) => value.name === name)?.fieldValue.string;
}

/** Acts as the Deployment's controller and the kubelet, which neither server has, and adds a pod that cannot pull its image. */
async function addFailingPod({ cluster }: AgentWorld, namespace: string, name: string): Promise<void> {
  const metadata = { namespace, name: `${name}-1`, labels: { app: name }, annotations: { 'sim.outrigger.dev/behavior': 'fail' } };
  const spec = { containers: [{ name: 'main', image: 'example.com/app:1' }] };
  await cluster.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const waiting = { reason: 'ErrImagePull', message: 'no such image' };
  const containerStatuses = [{ name: 'main', image: 'x', imageID: '', ready: false, restartCount: 0, state: { waiting } }];
  const report = async (kind: Kind, key: ObjectKey, status: JsonObject): Promise<void> => {
    await cluster.patch(kind, key, { type: 'merge', patch: { status } }, { subresource: 'status' });
  };
  await report(pods, { namespace, name: metadata.name }, { phase: 'Pending', containerStatuses });
  await report(deployments, { namespace, name }, { replicas: 1, unavailableReplicas: 1, observedGeneration: 1 });
}
