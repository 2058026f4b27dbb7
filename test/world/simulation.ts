import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { type Vault, createControlPlane, memoryVault } from '@outrigger/control-plane';
import { createRealRuntime } from '@outrigger/kube/node';
import type { Simulator } from '@outrigger/kube/testing';

export type Definition = ReturnType<typeof customResourceDefinition>;

/** Returns the CRDs of the given kinds; by default, of all kinds. */
export function definitionsOf(kinds?: ReadonlySet<string>): Definition[] {
  return KIND_DEFINITIONS.filter(({ kind }) => kinds?.has(kind) ?? true).map((definition) => customResourceDefinition(definition));
}

let prepared: Promise<Vault> | undefined;

/**
 * Returns the keys of simulated servers, created once for all worlds in a thread. It also loads the modules that servers load on demand,
 * because inside a simulation loading would take real time, which virtual time does not wait for.
 */
export function preparedVault(): Promise<Vault> {
  prepared ??= prepare();
  return prepared;
}

async function prepare(): Promise<Vault> {
  const vault = memoryVault();
  const runtime = createRealRuntime();
  const server = await createControlPlane({ runtime, storage: 'memory', crds: definitionsOf(), simulateWorkloads: {}, vault });
  await server.start();
  await server.stop();
  return vault;
}

/** The maximum virtual time, which guards against a simulation that never ends. */
const LONGEST_MS = 48 * 3_600_000;

/** Advances virtual time until the promise `work` resolves or rejects. */
export async function drive<T>(simulator: Simulator, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = work.finally(() => {
    isSettled = true;
  });
  settled.catch(() => undefined);
  await simulator.runUntil(() => isSettled, LONGEST_MS);
  return settled;
}

/** The steps by which virtual time advances while a test waits. */
const STEP_MS = 10;

/** Advances virtual time whenever the test waits, until the returned function is called. */
export function startTime(simulator: Simulator): () => Promise<void> {
  let isOver = false;
  const passing = (async () => {
    while (!isOver) await simulator.advance(STEP_MS);
  })();
  return async () => {
    isOver = true;
    await passing;
  };
}
