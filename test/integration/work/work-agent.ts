import type { Runtime } from '@outrigger/core';
import { type Client, type Manager, createManager } from '@outrigger/kube';
import { CLUSTER, HUB } from '../../../packages/agent/src/resources/apis.js';
import { type WorkOptions, createWork } from '../../../packages/agent/src/work/index.js';
import type { RequestCounter } from './count-requests.js';
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

export interface WorkAgent {
  readonly manager: Manager;
  stop(): Promise<void>;
}

/**
 * Starts only the part of an agent that applies works, so that no other part sends requests or waits for kinds that these tests do not
 * install.
 */
export async function startWorkAgent(
  { runtime, hub, cluster, hubServer }: Surroundings,
  options: WorkAgentOptions = {},
): Promise<WorkAgent> {
  const work = createWork({ runtime, cluster, clusterName: CLUSTER_NAME, hubServer, agentId: 'agent', ...options });
  const manager = createManager({ runtime, apis: { [HUB]: hub, [CLUSTER]: cluster }, controllers: work.controllers });
  work.attach(manager);
  await manager.start();
  return {
    manager,
    async stop() {
      await manager.stop();
      work.close();
    },
  };
}

/** A pass that is due within this time counts as work of now. */
const SOON_MS = 200;

/**
 * Resolves when the agent is at rest: its manager has processed all events it received, no pass is due soon, and no request was sent during
 * several checks in a row, 20 ms apart.
 */
export async function agentAtRest(
  { timers }: Pick<Runtime, 'timers'>,
  agent: () => WorkAgent,
  requests: Pick<RequestCounter, 'total'>,
  looks = 5,
): Promise<void> {
  let before = requests.total();
  for (let still = 0; still < looks; ) {
    await timers.sleep(20);
    const { isSettled, nextPassInMs = Number.POSITIVE_INFINITY } = agent().manager;
    still = isSettled && nextPassInMs > SOON_MS && requests.total() === before ? still + 1 : 0;
    before = requests.total();
  }
}
