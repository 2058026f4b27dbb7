import { type KubeObject, toTime } from '@outrigger/core';
import type { ControllerContext } from '../controllers/contract.js';
import { lookUp } from '../controllers/follow.js';
import { nodes } from '../controllers/kinds.js';

const RESOURCES = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' } as const;

export function nodeName(index: number): string {
  return `sim-node-${index + 1}`;
}

/** Creates the cluster's nodes, ready and with capacity, if they do not exist. */
export async function createNodes({ api, store, runtime }: ControllerContext, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const name = nodeName(index);
    if (lookUp(store, nodes, name)) continue;
    const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
    const created = await api.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } });
    await api.replace(nodes, { ...created, status: nodeStatus(name, toTime(runtime.clock.now())) } as KubeObject, 'status');
  }
}

function nodeStatus(name: string, now: string): object {
  return {
    capacity: RESOURCES,
    allocatable: RESOURCES,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: 'kubelet is posting ready status',
        lastHeartbeatTime: now,
        lastTransitionTime: now,
      },
    ],
    addresses: [{ type: 'Hostname', address: name }],
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      kubeletVersion: 'v1.35.4',
      kubeProxyVersion: '',
      containerRuntimeVersion: 'simulated://1.0.0',
      kernelVersion: '',
      osImage: 'simulated',
      machineID: '',
      systemUUID: '',
      bootID: '',
    },
  };
}
