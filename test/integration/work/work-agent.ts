import type { Runtime } from '@outrigger/core';
import { type Client, createManager } from '@outrigger/kube';
import { CLUSTER, HUB } from '../../../packages/agent/src/resources/apis.js';
import { type WorkOptions, createWork } from '../../../packages/agent/src/work/index.js';
import { CLUSTER_NAME } from './world.js';

export type WorkAgentOptions = Partial<
  Pick<WorkOptions, 'agentId' | 'evictionGraceMs' | 'rawFeedbackJson' | 'maxJsonLength' | 'mostWatches'>
>;

export interface Surroundings {
  readonly runtime: Runtime;
  readonly hub: Client;
  readonly cluster: Client;
  readonly hubServer: string;
}

/**
 * Starts only the part of an agent that applies works, so that no other part sends requests or waits for kinds that these tests do not
 * install.
 */
export async function startWorkAgent(
  { runtime, hub, cluster, hubServer }: Surroundings,
  options: WorkAgentOptions = {},
): Promise<{ stop(): Promise<void> }> {
  const work = createWork({ runtime, cluster, clusterName: CLUSTER_NAME, hubServer, agentId: 'agent', ...options });
  const manager = createManager({ runtime, apis: { [HUB]: hub, [CLUSTER]: cluster }, controllers: work.controllers });
  work.attach(manager);
  await manager.start();
  return {
    async stop() {
      await manager.stop();
      work.close();
    },
  };
}
