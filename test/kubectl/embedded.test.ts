import { startEmbedded } from '../harness/index.js';
import { kubectlJourneys } from './journeys.js';

kubectlJourneys('the embedded control plane', async () => {
  const server = await startEmbedded();
  return { server, stop: () => server.stop() };
});
