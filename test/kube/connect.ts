import { type KubeOptions, type RealKube, startKube } from '../harness/index.js';

/** Starts a real server for one suite. Every test file has its own, so that files can run in parallel and none sees another's objects. */
export async function startRealServer(
  options: KubeOptions = { controllerManager: true },
): Promise<{ readonly server: RealKube; stop(): Promise<void> }> {
  const server = await startKube(options);
  return { server, stop: () => server.stop() };
}
