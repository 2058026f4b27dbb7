import { startEmbedded } from '../harness/index.js';
import { conformance } from './index.js';

conformance('the embedded control plane', async () => {
  const server = await startEmbedded();
  return { server, stop: () => server.stop() };
});
