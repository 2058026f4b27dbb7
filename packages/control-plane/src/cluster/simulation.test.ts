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

/** Returns the counts as `ready/updated/total`, followed by the conditions. */
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
