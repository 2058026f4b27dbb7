// The program of the thread in which the console plans a rollback. It reads the hub with the connection of the user who requested the plan.
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '@outrigger/core';
import { createClient } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime } from '@outrigger/kube/node';
import { planRollBack } from './forecast.js';
import type { PlanAnswer, PlanTask } from './plan-thread.js';
import { USER_AGENT } from './user-agent.js';

const { connection, env, change } = workerData as PlanTask;
const runtime = createRealRuntime();
const transport = createHttpTransport(connection, runtime, { env, connections: 2 });
const client = createClient({ transport, runtime, userAgent: USER_AGENT, fieldManager: 'outrigger-console' });
const answer = await planRollBack(client, change).then(
  (forecast): PlanAnswer => ({ forecast }),
  (error: unknown): PlanAnswer => ({ problem: errorMessage(error) }),
);
await transport.close();
parentPort?.postMessage(answer);
