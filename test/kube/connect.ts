import { type RealKube, startKube } from '../harness/index.js';

/** A real server for one suite. Every file has its own, so that files can run side by side and none finds what another left. */
export async function startRealServer(): Promise<{ readonly server: RealKube; stop(): Promise<void> }> {
  const server = await startKube({ controllerManager: true });
  return { server, stop: () => server.stop() };
}
