import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ConsoleRules } from '@outrigger/console-server';
import type { ConnectionConfig } from '@outrigger/kube';

type PlannedChange = Parameters<ConsoleRules['plan']>[1];
type PlanForecast = Awaited<ReturnType<ConsoleRules['plan']>>;

/** The input of the thread: the connection of the user, and the change to plan. */
export interface PlanTask {
  readonly connection: ConnectionConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly change: PlannedChange;
}

export type PlanAnswer = { readonly forecast: PlanForecast } | { readonly problem: string };

/** The maximum heap of the thread that computes a plan. A plan for 10,000 clusters with 20 add-ons needs less than half of it. */
const MAX_HEAP_MB = 2_048;

/**
 * Returns the path of the program that the planning thread runs, next to the bundle. Returns undefined if the command runs from source,
 * which Node.js cannot run in a thread.
 */
export function planProgram(): string | undefined {
  const file = fileURLToPath(new URL('./plan-worker.js', import.meta.url));
  return existsSync(file) ? file : undefined;
}

/** Computes a plan in a separate thread, so that the console can answer other requests meanwhile. */
export function planInThread(program: string, task: PlanTask): Promise<PlanForecast> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB }, name: 'plan' });
    // The process can exit while a plan is being computed.
    worker.unref();
    worker.once('message', (answer: PlanAnswer) => {
      if ('forecast' in answer) resolve(answer.forecast);
      else reject(new Error(answer.problem));
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the plan ended without a result')));
  });
}
