import { deployments } from '@outrigger/api';
import { type LocalFleet, startLocalFleet } from '@outrigger/cli';
import type { Kind, KubeObject } from '@outrigger/core';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../world/eventually.js';

const PODS: Kind<KubeObject> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const KEY = { namespace: 'default', name: 'web' };

describe('workloads on the hub of `outrigger up`', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let fleet: LocalFleet | undefined;
  afterEach(async () => {
    await fleet?.stop();
    runtime.scope.close();
  });

  async function deployed(): Promise<LocalFleet> {
    fleet = await startLocalFleet({ runtime, clusters: 0, port: 0, clusterPorts: 0, readyAfterMs: 20, simulateHubWorkloads: true });
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] } };
    await fleet.hub.create(deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: KEY,
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    });
    return fleet;
  }

  it('run with pods, if --simulate-hub-workloads asks for it', async () => {
    const { hub } = await deployed();
    await eventually(runtime, 'the Deployment is available', async () => {
      const { status } = await hub.get(deployments, KEY);
      return status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') ? true : undefined;
    });
    expect((await hub.list(PODS, { namespace: 'default' })).items).toHaveLength(2);
  });
});
