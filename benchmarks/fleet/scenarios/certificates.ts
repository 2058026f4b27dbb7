import type { CertificateStats } from '../swarm.js';
import { allOf } from './changes.js';
import type { Scenario } from './index.js';
import { stopManagers, untilAllQuiet } from './managers.js';

/** The user of the benchmark's kubeconfig, who sends the first requests of the clusters. */
const ADMIN = 'kubernetes-admin';

/** A share of the clusters gets certificates from the hub, and then immediately renews them. The manager approves each request. */
export const certificates: Scenario = async (fleet, row) => {
  const { swarm, options } = fleet;
  await stopManagers(fleet);
  await fleet.startManager(['--no-leader-election', '--bootstrap-user', ADMIN]);
  await untilAllQuiet(fleet);
  for (const verb of ['get', 'renew']) {
    let stats: CertificateStats = { certificates: 0, requests: 0, p50Ms: 0, p99Ms: 0 };
    let seconds = 0;
    await row({
      name: `${options.share * 100} % ${verb} certificates`,
      count: allOf(fleet),
      works: 0,
      async act() {
        const startedAt = performance.now();
        stats = await swarm.certify(options.share);
        seconds = (performance.now() - startedAt) / 1_000;
      },
      isDone: () => true,
      seconds: () => seconds,
      more: async () => ({ ...stats }),
    });
    await untilAllQuiet(fleet);
  }
  await stopManagers(fleet);
  await fleet.startManager(fleet.managerFlags);
};
