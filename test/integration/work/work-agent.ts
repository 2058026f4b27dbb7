import type { Runtime } from '@outrigger/core';
import { type Client, type Manager, createManager } from '@outrigger/kube';
import { CLUSTER, HUB } from '../../../packages/agent/src/resources/apis.js';
import { type WorkOptions, createWork } from '../../../packages/agent/src/work/create-work.js';
import type { RequestCounter } from './count-requests.js';
import { CLUSTER_NAME } from './world.js';
import { atRest } from '../../world/at-rest.js';

export type WorkAgentOptions = Partial<Pick<WorkOptions, 'agentId' | 'evictionGraceMs' | 'rawFeedbackJson' | 'reasonAfterMs'>>;

export interface WorkAgentContext {
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
  { runtime, hub, cluster, hubServer }: WorkAgentContext,
  options: WorkAgentOptions = {},
): Promise<WorkAgent> {
  const controllers = createWork({
    runtime,
    cluster,
    clusterName: CLUSTER_NAME,
    hubServer,
    agentId: 'agent',
    reasonAfterMs: 500,
    ...options,
  });
  const manager = createManager({ runtime, apis: { [HUB]: hub, [CLUSTER]: cluster }, controllers, component: 'outrigger-agent' });
  await manager.start();
  return { manager, stop: () => manager.stop() };
}

/** A pass that is due within this time counts as pending work. */
const SOON_MS = 200;

/** Resolves when the agent has settled and sends no request. */
export function agentAtRest(
  runtime: Pick<Runtime, 'timers'>,
  agent: () => WorkAgent,
  requests: Pick<RequestCounter, 'total'>,
  looks = 5,
): Promise<void> {
  return atRest(runtime, { manager: () => agent().manager, restMs: SOON_MS, activity: () => requests.total(), looks });
}
