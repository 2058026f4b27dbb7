import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { isUnready, notReadyReason } from './reason.js';

const workload = (kind: string, status: object, spec: object = {}): KubeObject =>
  ({ apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1', kind, metadata: { name: 'w' }, spec, status }) as KubeObject;
const pod = (status: object, metadata: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'w-1', ...metadata }, status }) as KubeObject;
const waiting = (reason: string, message?: string, lastState: object = {}): KubeObject =>
  pod({ phase: 'Pending', containerStatuses: [{ name: 'c', ready: false, state: { waiting: { reason, message } }, lastState }] });
const deployment = workload('Deployment', { conditions: [] });

describe('a workload that is not ready', () => {
  it.each([
    {
      name: 'a Deployment without status is not judged',
      is: false,
      of: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {} } as KubeObject,
    },
    { name: 'a Deployment with fewer replicas', is: true, of: workload('Deployment', { availableReplicas: 1 }, { replicas: 2 }) },
    { name: 'a Deployment with one replica by default', is: true, of: workload('Deployment', {}) },
    { name: 'a Deployment with all replicas', is: false, of: workload('Deployment', { availableReplicas: 2 }, { replicas: 2 }) },
    {
      name: 'a Deployment whose old pods are enough and whose new pod is not available',
      is: true,
      of: workload('Deployment', { replicas: 2, updatedReplicas: 1, availableReplicas: 1 }),
    },
    {
      name: 'a Deployment whose pods are all available during an update',
      is: false,
      of: workload('Deployment', { replicas: 2, updatedReplicas: 1, availableReplicas: 2 }),
    },
    { name: 'a Deployment at zero', is: false, of: workload('Deployment', {}, { replicas: 0 }) },
    { name: 'a StatefulSet', is: true, of: workload('StatefulSet', { readyReplicas: 0 }, { replicas: 1 }) },
    { name: 'a DaemonSet', is: true, of: workload('DaemonSet', { desiredNumberScheduled: 3, numberAvailable: 2 }) },
    {
      name: 'a DaemonSet whose old pods are enough during an update',
      is: true,
      of: workload('DaemonSet', { desiredNumberScheduled: 1, numberAvailable: 1, updatedNumberScheduled: 0 }),
    },
    {
      name: 'a DaemonSet with all pods updated',
      is: false,
      of: workload('DaemonSet', { desiredNumberScheduled: 2, numberAvailable: 2, updatedNumberScheduled: 2 }),
    },
    { name: 'a DaemonSet without nodes', is: false, of: workload('DaemonSet', { desiredNumberScheduled: 0 }) },
    { name: 'a Job that runs', is: false, of: workload('Job', { active: 1 }) },
    { name: 'a Job whose pods fail', is: true, of: workload('Job', { failed: 1 }) },
    { name: 'a kind without pods', is: false, of: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, status: {} } as KubeObject },
  ])('$name', ({ is, of }) => expect(isUnready(of)).toBe(is));

  it.each([
    { name: 'no pods, no reason', pods: [], reason: undefined },
    {
      name: 'an image that cannot be pulled',
      pods: [waiting('ImagePullBackOff', 'Back-off pulling image "x"')],
      reason: 'container c is waiting: ImagePullBackOff: Back-off pulling image "x"',
    },
    {
      name: 'the two reasons of a failing pull are one',
      pods: [waiting('ErrImagePull')],
      reason: 'container c is waiting: ImagePullBackOff',
    },
    {
      name: 'a crash loop: the last run, without the seconds of the back-off',
      pods: [waiting('CrashLoopBackOff', 'back-off 40s restarting', { terminated: { exitCode: 137, reason: 'OOMKilled' } })],
      reason: 'container c is waiting: CrashLoopBackOff: exit code 137 (OOMKilled)',
    },
    {
      name: 'a container that ended',
      pods: [pod({ phase: 'Running', containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 2, reason: 'Error' } } }] })],
      reason: 'container c ended: exit code 2 (Error)',
    },
    {
      name: 'an init container comes before the others',
      pods: [
        pod({
          initContainerStatuses: [
            { name: 'i', state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "s" not found' } } },
          ],
          containerStatuses: [{ name: 'c', state: { waiting: { reason: 'PodInitializing' } } }],
        }),
      ],
      reason: 'container i is waiting: CreateContainerConfigError: secret "s" not found',
    },
    {
      name: 'a probe that fails',
      pods: [pod({ phase: 'Running', containerStatuses: [{ name: 'c', ready: false, state: { running: {} } }] })],
      reason: 'container c runs and is not ready',
    },
    {
      name: 'a pod without a node',
      pods: [pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' }] })],
      reason: 'pod is not scheduled: 0/3 nodes are available',
    },
    {
      name: 'a cause before a pod that only starts',
      pods: [waiting('ContainerCreating'), waiting('InvalidImageName')],
      reason: 'container c is waiting: InvalidImageName',
    },
    {
      name: 'pods that end or have done their work do not count',
      pods: [
        pod({ phase: 'Succeeded' }),
        pod({ containerStatuses: [{ name: 'c', state: { waiting: { reason: 'X' } } }] }, { deletionTimestamp: 'now' }),
      ],
      reason: undefined,
    },
  ])('$name', ({ pods, reason }) => expect(notReadyReason(deployment, pods)).toBe(reason));

  it('its own condition comes first: there are no pods to ask', () => {
    const message = 'pods "w-" is forbidden: error looking up service account n/s: serviceaccount "s" not found';
    const failing = workload('Deployment', { conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }] });
    expect(notReadyReason(failing, [])).toBe(`ReplicaFailure: FailedCreate: ${message}`);
  });

  it('long texts are cut', () => expect(notReadyReason(deployment, [waiting('X', 'y'.repeat(2_000))])).toHaveLength(500));
});
