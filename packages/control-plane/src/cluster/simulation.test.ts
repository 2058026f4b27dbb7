import type { KubeObject } from '@outrigger/core';
import { createVirtualRuntime, Simulator } from '@outrigger/kube/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { startVirtualPlane, type VirtualPlane } from '../fixtures.js';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
const selector = { matchLabels: { app: 'x' } };
const deployment = (name: string, annotations: Record<string, string> = {}): unknown => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, annotations },
  spec: { replicas: 2, selector, template },
});

let server: VirtualPlane;
let simulator: Simulator;
beforeEach(async () => {
  simulator = new Simulator({ seed: 'x' });
  server = await startVirtualPlane(simulator, createVirtualRuntime(simulator, 'server'), {
    simulateWorkloads: { readyAfterMs: 1000, nodes: 3 },
  });
});

/** Returns the replica counts of a workload as `ready/updated/total`, followed by its conditions. */
async function shown(path: string): Promise<string> {
  const { status } = await server.send<KubeObject & { status: Record<string, unknown> }>('GET', path);
  const conditions = (status['conditions'] as { type: string; status: string; reason: string }[] | undefined) ?? [];
  const counts = [status['readyReplicas'], status['updatedReplicas'], status['replicas']].map((count) => count ?? 0).join('/');
  return [counts, ...conditions.map((c) => `${c.type}=${c.status} ${c.reason}`)].join(', ');
}

describe('a simulated deployment', () => {
  const path = `${DEPLOYMENTS}/web`;
  const progressing = '0/2/2, Available=False MinimumReplicasUnavailable, Progressing=True ReplicaSetUpdated';
  const done = '2/2/2, Available=True MinimumReplicasAvailable, Progressing=True NewReplicaSetAvailable';

  it('becomes available after the delay', async () => {
    await server.send('POST', DEPLOYMENTS, deployment('web'));
    await server.advance(500);
    expect(await shown(path)).toBe(progressing);
    await server.advance(600);
    expect(await shown(path)).toBe(done);
    const { metadata, status } = await server.send<KubeObject & { status: { observedGeneration: number } }>('GET', path);
    expect(status.observedGeneration).toBe(metadata.generation);
  });

  it('that hangs exceeds its deadline, and recovers when the test repairs it', async () => {
    await server.send('POST', DEPLOYMENTS, deployment('web', { 'sim.outrigger.dev/behavior': 'hang' }));
    await server.advance(599_000);
    expect(await shown(path)).toBe(progressing);
    await server.advance(2_000);
    expect(await shown(path)).toBe('0/2/2, Available=False MinimumReplicasUnavailable, Progressing=False ProgressDeadlineExceeded');
    await server.send('PATCH', path, { metadata: { annotations: { 'sim.outrigger.dev/behavior': null } } });
    await server.advance(2_000);
    expect(await shown(path)).toBe(done);
  });

  it('keeps its old pods while a new version crashes', async () => {
    await server.send('POST', DEPLOYMENTS, deployment('web'));
    await server.advance(2_000);
    server.plane.simulation?.setBehavior({ kind: 'Deployment', namespace: 'default', name: 'web' }, 'crashloop');
    await server.advance(2_000);
    expect(await shown(path)).toBe('0/2/2, Available=False MinimumReplicasUnavailable, Progressing=True NewReplicaSetAvailable');
    server.plane.simulation?.setBehavior({ kind: 'Deployment', namespace: 'default', name: 'web' }, undefined);
    await server.advance(2_000);
    await server.send('PATCH', path, {
      metadata: { annotations: { 'sim.outrigger.dev/behavior': 'crashloop' } },
      spec: { template: { metadata: { annotations: { version: '2' } } } },
    });
    await server.advance(60_000);
    expect(await shown(path)).toBe('2/1/3, Available=True MinimumReplicasAvailable, Progressing=True ReplicaSetUpdated');
  });

  it('is not written again after it has settled', async () => {
    await server.send('POST', DEPLOYMENTS, deployment('web'));
    await server.advance(5_000);
    const { revision } = server.plane.store;
    await server.advance(3_000_000);
    expect(server.plane.store.revision).toBe(revision);
  });

  it('holds a lease while it is ready', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/hello';
    const renewed = async (): Promise<string> =>
      (await server.send<KubeObject & { spec: { renewTime: string } }>('GET', lease)).spec.renewTime;
    await server.send('POST', DEPLOYMENTS, deployment('web', { 'sim.outrigger.dev/lease': 'hello' }));
    await server.advance(2_000);
    const first = await renewed();
    await server.advance(61_000);
    const second = await renewed();
    expect(Date.parse(second) - Date.parse(first)).toBe(60_000);
    server.plane.simulation?.holdLease({ kind: 'Deployment', namespace: 'default', name: 'web' }, undefined);
    await server.advance(200_000);
    expect(await renewed()).toBe(second);
  });
});

describe('other simulated workloads', () => {
  it('a daemon set runs on every node', async () => {
    const path = '/apis/apps/v1/namespaces/default/daemonsets';
    await server.send('POST', path, { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'd' }, spec: { selector, template } });
    await server.advance(2_000);
    expect(await server.send('GET', `${path}/d`)).toMatchObject({
      status: { desiredNumberScheduled: 3, numberReady: 3, numberAvailable: 3, observedGeneration: 1 },
    });
  });

  it.each([
    { kind: 'DaemonSet', plural: 'daemonsets', spec: {}, counts: { updatedNumberScheduled: 1, numberAvailable: 2 } },
    {
      kind: 'StatefulSet',
      plural: 'statefulsets',
      spec: { replicas: 1, serviceName: 's' },
      counts: { updatedReplicas: 1, availableReplicas: 0 },
    },
  ])('an update of a $kind that never becomes ready replaces a pod', async ({ kind, plural, spec, counts }) => {
    const path = `/apis/apps/v1/namespaces/default/${plural}`;
    const workload = { apiVersion: 'apps/v1', kind, metadata: { name: 'u' }, spec: { ...spec, selector, template } };
    await server.send('POST', path, workload);
    await server.advance(2_000);
    const { metadata } = await server.send<KubeObject>('GET', `${path}/u`);
    const annotations = { 'sim.outrigger.dev/behavior': 'fail' };
    const changed = { ...template, metadata: { ...template.metadata, annotations: { v: '2' } } };
    await server.send('PUT', `${path}/u`, {
      ...workload,
      metadata: { ...metadata, annotations },
      spec: { ...workload.spec, template: changed },
    });
    await server.advance(5_000);
    expect(await server.send('GET', `${path}/u`)).toMatchObject({ status: { observedGeneration: 2, ...counts } });
  });

  it('a stateful set reaches its revision', async () => {
    const path = '/apis/apps/v1/namespaces/default/statefulsets';
    await server.send('POST', path, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 's' },
      spec: { serviceName: 's', replicas: 2, selector, template },
    });
    await server.advance(2_000);
    expect(await server.send('GET', `${path}/s`)).toMatchObject({
      status: { readyReplicas: 2, updatedReplicas: 2, currentRevision: 's-1', updateRevision: 's-1' },
    });
  });

  it.each([
    { behavior: 'ready', want: 'Complete' },
    { behavior: 'fail', want: 'Failed' },
  ])('a job that is $behavior ends $want', async ({ behavior, want }) => {
    const path = '/apis/batch/v1/namespaces/default/jobs';
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', annotations: { 'sim.outrigger.dev/behavior': behavior } },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    };
    await server.send('POST', path, job);
    await server.advance(2_000);
    const { status } = await server.send<KubeObject & { status: { conditions: { type: string; status: string }[] } }>('GET', `${path}/j`);
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: want, status: 'True' }));
  });

  it('a pod runs, and disappears when it is deleted', async () => {
    const path = '/api/v1/namespaces/default/pods';
    await server.send('POST', path, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'sim-node-1' },
    });
    await server.advance(2_000);
    expect(await server.send('GET', `${path}/p`)).toMatchObject({ status: { phase: 'Running', containerStatuses: [{ ready: true }] } });
    await server.send('DELETE', `${path}/p`);
    await server.advance(2_000);
    expect(await server.names(path)).toEqual([]);
  });

  it('with pods, a deployment has a replica set and pods, and an update replaces them', async () => {
    simulator = new Simulator({ seed: 'pods' });
    server = await startVirtualPlane(simulator, createVirtualRuntime(simulator, 'server'), {
      simulateWorkloads: { readyAfterMs: 1000, nodes: 2, pods: true },
    });
    await server.send('POST', DEPLOYMENTS, deployment('web'));
    await server.advance(3_000);
    const before = await server.names('/api/v1/namespaces/default/pods');
    expect(before).toHaveLength(2);
    await server.send('PATCH', `${DEPLOYMENTS}/web`, { spec: { template: { metadata: { annotations: { v: '2' } } } } });
    await server.advance(5_000);
    const after = await server.names('/api/v1/namespaces/default/pods');
    expect(after).toHaveLength(2);
    expect(after.filter((name) => before.includes(name))).toEqual([]);
    await server.send('DELETE', `${DEPLOYMENTS}/web`);
    await server.advance(5_000);
    expect(await server.names('/api/v1/namespaces/default/pods')).toEqual([]);
    expect(await server.names('/apis/apps/v1/namespaces/default/replicasets')).toEqual([]);
  });
});

describe('a cluster with pods', () => {
  const PODS = '/api/v1/namespaces/default/pods';
  const REPLICA_SETS = '/apis/apps/v1/namespaces/default/replicasets';
  const REVISION = 'deployment.kubernetes.io/revision';
  beforeEach(async () => {
    simulator = new Simulator({ seed: 'pods' });
    server = await startVirtualPlane(simulator, createVirtualRuntime(simulator, 'server'), {
      simulateWorkloads: { readyAfterMs: 1000, nodes: 2, pods: true },
    });
    await server.send('POST', DEPLOYMENTS, deployment('web'));
    await server.advance(3_000);
  });
  const update = async (version: string): Promise<void> => {
    await server.send('PATCH', `${DEPLOYMENTS}/web`, { spec: { template: { metadata: { annotations: { version } } } } });
    await server.advance(5_000);
  };
  const revisions = async (): Promise<string[]> => {
    const { items } = await server.send<{ items: readonly KubeObject[] }>('GET', REPLICA_SETS);
    return items.map(({ metadata }) => metadata.annotations?.[REVISION] ?? '').sort((a, b) => Number(a) - Number(b));
  };
  const log = async (query = ''): Promise<string> => {
    const [name] = await server.names(PODS);
    return server.send<string>('GET', `${PODS}/${name}/log${query}`);
  };

  it('numbers the revisions of a deployment, on it and on its replica sets', async () => {
    await update('2');
    await update('3');
    expect(await revisions()).toEqual(['1', '2', '3']);
    expect((await server.send('GET', `${DEPLOYMENTS}/web`)).metadata.annotations?.[REVISION]).toBe('3');
    await update('2');
    expect(await revisions()).toEqual(['1', '3', '4']);
    const { revision } = server.plane.store;
    await server.advance(3_000_000);
    expect(server.plane.store.revision).toBe(revision);
  });

  const replicaSetsByImage = async (): Promise<Readonly<Record<string, KubeObject>>> => {
    const { items } = await server.send<{ items: readonly (KubeObject & { spec: { template: typeof template } })[] }>('GET', REPLICA_SETS);
    return Object.fromEntries(items.map((item) => [item.spec.template.spec.containers[0]?.image ?? '', item]));
  };
  const CAUSE = 'kubernetes.io/change-cause';
  const setImage = async (image: string, annotations: Readonly<Record<string, string>> = {}): Promise<void> => {
    const containers = [{ name: 'c', image }];
    await server.send('PATCH', `${DEPLOYMENTS}/web`, { metadata: { annotations }, spec: { template: { spec: { containers } } } });
    await server.advance(5_000);
  };

  it('uses the old replica set again if a client in Go writes the old template', async () => {
    const { 'i:1': first } = await replicaSetsByImage();
    await setImage('i:2');
    const written = { creationTimestamp: null, labels: { app: 'x' } };
    const containers = [{ name: 'c', image: 'i:1', resources: {} }];
    await server.send('PATCH', `${DEPLOYMENTS}/web`, { spec: { template: { metadata: written, spec: { containers } } } });
    await server.advance(5_000);
    expect(await revisions()).toEqual(['2', '3']);
    const { 'i:1': current, 'i:2': old } = await replicaSetsByImage();
    expect(current).toMatchObject({
      metadata: { uid: first?.metadata.uid, annotations: { [REVISION]: '3', [`${REVISION}-history`]: '1' } },
      spec: { replicas: 2 },
      status: { readyReplicas: 2 },
    });
    expect(old).toMatchObject({ metadata: { annotations: { [REVISION]: '2' } }, spec: { replicas: 0 } });
  });

  it('copies the annotations of a deployment to the replica set of its template', async () => {
    const applied = 'kubectl.kubernetes.io/last-applied-configuration';
    await setImage('i:2', { [CAUSE]: 'second', other: 'yes', [applied]: '{}' });
    await setImage('i:3', { [CAUSE]: 'third' });
    const { 'i:1': first, 'i:2': second, 'i:3': third } = await replicaSetsByImage();
    expect(first?.metadata.annotations).toEqual({ [REVISION]: '1' });
    expect(second?.metadata.annotations).toEqual({ [REVISION]: '2', [CAUSE]: 'second', other: 'yes' });
    expect(third?.metadata.annotations).toEqual({ [REVISION]: '3', [CAUSE]: 'third', other: 'yes' });
    await server.send('PATCH', `${DEPLOYMENTS}/web`, { metadata: { annotations: { [CAUSE]: 'corrected' } } });
    await server.advance(1_000);
    expect((await replicaSetsByImage())['i:3']?.metadata.annotations?.[CAUSE]).toBe('corrected');
    const { revision } = server.plane.store;
    await server.advance(3_000_000);
    expect(server.plane.store.revision).toBe(revision);
  });

  it.each(['crashloop', 'hang', 'fail'] as const)('has pods that %s with their deployment, and recover with it', async (behavior) => {
    const ready = async (): Promise<unknown[]> => {
      const { items } = await server.send<{ items: readonly { status: { containerStatuses: { ready: boolean }[] } }[] }>('GET', PODS);
      return items.map(({ status }) => status.containerStatuses[0]?.ready);
    };
    const web = { kind: 'Deployment', namespace: 'default', name: 'web' } as const;
    server.plane.simulation?.setBehavior(web, behavior);
    await server.advance(5_000);
    expect(await ready()).toEqual([false, false]);
    server.plane.simulation?.setBehavior(web, undefined);
    await server.advance(5_000);
    expect(await ready()).toEqual([true, true]);
    expect(await shown(`${DEPLOYMENTS}/web`)).toContain('2/2/2, Available=True');
  });

  it('exceeds the deadline of a deployment whose pod template crashes', async () => {
    await update('2');
    const annotations = { 'sim.outrigger.dev/behavior': 'crashloop' };
    await server.send('PATCH', `${DEPLOYMENTS}/web`, { spec: { template: { metadata: { annotations } } } });
    await server.advance(599_000);
    expect(await shown(`${DEPLOYMENTS}/web`)).toContain('Progressing=True ReplicaSetUpdated');
    await server.advance(2_000);
    expect(await shown(`${DEPLOYMENTS}/web`)).toContain('Progressing=False ProgressDeadlineExceeded');
  });

  it('never reports more ready replicas than ready pods, in any state that it stores', async () => {
    const apps = (kind: string, name: string, spec: object = {}): object => {
      const labels = { app: name };
      const own = { selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } };
      return { apiVersion: 'apps/v1', kind, metadata: { name }, spec: { ...own, ...spec } };
    };
    const podSpec = { restartPolicy: 'Never', containers: template.spec.containers };
    const job = { completions: 2, template: { metadata: { labels: { app: 'job' } }, spec: podSpec } };
    const before = server.plane.store.revision;
    await server.send('POST', DEPLOYMENTS, apps('Deployment', 'deployment', { replicas: 3 }));
    await server.send(
      'POST',
      '/apis/apps/v1/namespaces/default/statefulsets',
      apps('StatefulSet', 'stateful', { serviceName: 's', replicas: 2 }),
    );
    await server.send('POST', '/apis/apps/v1/namespaces/default/daemonsets', apps('DaemonSet', 'daemon'));
    await server.send('POST', '/apis/batch/v1/namespaces/default/jobs', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'job' },
      spec: job,
    });
    await server.advance(5_000);
    await update('2');
    const pods = new Map<string, string>();
    const reported = new Map<string, number>();
    for (const { type, key, object } of server.plane.store.since(before)) {
      const { kind, metadata, status = {} } = object as KubeObject & { status?: Record<string, unknown> };
      const app = metadata.labels?.['app'] ?? metadata.name ?? '';
      const conditions = (status['conditions'] ?? []) as { type: string; status: string }[];
      const isReady = status['phase'] === 'Succeeded' || conditions.some((one) => one.type === 'Ready' && one.status === 'True');
      if (kind === 'Pod' && type === 'put' && isReady) pods.set(key, app);
      else if (kind === 'Pod') pods.delete(key);
      if (!['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'].includes(kind) || app === 'web' || app === 'x') continue;
      const ready = Number(status['readyReplicas'] ?? status['numberReady'] ?? status['succeeded'] ?? 0);
      const count = [...pods.values()].filter((owner) => owner === app).length;
      expect({ kind, ready, isCovered: ready <= count }).toEqual({ kind, ready, isCovered: true });
      reported.set(kind, ready);
    }
    expect(Object.fromEntries(reported)).toEqual({ Deployment: 3, ReplicaSet: 3, StatefulSet: 2, DaemonSet: 2, Job: 2 });
  });

  it.each([
    { restartPolicy: 'Never', behavior: 'ready', want: 'Succeeded', exitCode: 0 },
    { restartPolicy: 'OnFailure', behavior: 'ready', want: 'Succeeded', exitCode: 0 },
    { restartPolicy: 'Never', behavior: 'fail', want: 'Failed', exitCode: 1 },
    { restartPolicy: 'OnFailure', behavior: 'fail', want: 'Pending', exitCode: undefined },
    { restartPolicy: 'Always', behavior: 'ready', want: 'Running', exitCode: undefined },
    { restartPolicy: 'Always', behavior: 'fail', want: 'Pending', exitCode: undefined },
  ])(
    'ends a pod with restart policy $restartPolicy and behavior $behavior as $want',
    async ({ restartPolicy, behavior, want, exitCode }) => {
      await server.send('POST', PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'aaa', annotations: { 'sim.outrigger.dev/behavior': behavior } },
        spec: { restartPolicy, containers: [{ name: 'c', image: 'i' }] },
      });
      await server.advance(3_000);
      type State = { terminated?: { exitCode: number } };
      const { status } = await server.send<{ status: { phase: string; containerStatuses: { state: State }[] } }>('GET', `${PODS}/aaa`);
      expect([status.phase, status.containerStatuses[0]?.state.terminated?.exitCode]).toEqual([want, exitCode]);
      if (exitCode !== undefined) expect(await log()).toContain('simulated: container c');
      const { revision } = server.plane.store;
      await server.advance(3_000_000);
      expect(server.plane.store.revision).toBe(revision);
    },
  );

  it('keeps as many old replica sets as revisionHistoryLimit allows', async () => {
    await server.send('PATCH', `${DEPLOYMENTS}/web`, { spec: { revisionHistoryLimit: 1 } });
    for (const version of ['2', '3', '4']) await update(version);
    expect(await revisions()).toEqual(['3', '4']);
  });

  it('has pods that are ready, owned by the replica set, with a line of log', async () => {
    const { items } = await server.send<{
      items: readonly (KubeObject & { status: { conditions: { type: string; status: string }[] } })[];
    }>('GET', PODS);
    expect(items).toHaveLength(2);
    for (const { metadata, status } of items) {
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'ReplicaSet', controller: true }]);
      expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    }
    expect(await log()).toBe('simulated: container c of image i:1 started\n');
    expect(await log('?container=c&timestamps=true')).toMatch(/^\d{4}-.*Z simulated/);
    await expect(log('?container=x')).rejects.toThrow('container x is not valid for pod');
    await expect(log('?previous=true')).rejects.toThrow('previous terminated container "c"');
  });

  it('has no log of a container that waits', async () => {
    await server.send('POST', PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'aaa', annotations: { 'sim.outrigger.dev/behavior': 'fail' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    await server.advance(3_000);
    await expect(log()).rejects.toThrow('container "c" in pod "aaa" is waiting to start: ErrImagePull');
  });
});
