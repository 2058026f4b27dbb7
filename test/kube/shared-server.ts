import type { TestProject } from 'vitest/node';
import { type Connection, startKube } from '../harness/index.js';

declare module 'vitest' {
  interface ProvidedContext {
    readonly kube: Connection;
  }
}

/** Starts the server all files of test/kube share, and stops it after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kube = await startKube({ controllerManager: true });
  project.provide('kube', kube.connection);
  return () => kube.stop();
}
