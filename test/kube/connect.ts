import { inject } from 'vitest';
import { attach, type TestServer } from '../harness/index.js';

/** The shared real server, as a suite wants it; stopping it is not a suite's business. */
export async function sharedKube(): Promise<{ readonly server: TestServer; stop(): Promise<void> }> {
  return { server: attach(inject('kube')), stop: async () => undefined };
}
