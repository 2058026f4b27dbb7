import type { Step, TimedStep } from '@outrigger/simulator';

const rollout = { type: 'Progressive', maxConcurrency: 2, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '5s' } as const;
const after = (afterMs: number, step: Step): TimedStep => ({ afterMs, step });

/** Two add-ons are installed on three clusters; faults happen meanwhile. */
const install: readonly TimedStep[] = (['alpha', 'beta'] as const).map((addOn) =>
  after(0, { do: 'declare', addOn, strategy: { type: 'Placements', rollout, hasCanary: false, defaultVersion: 'v1' } }),
);
/** An edit that starts a rollout to all clusters. */
const upgrade: Step = { do: 'edit template', addOn: 'alpha', version: 'v1', content: 'good-2' };

/** A history with faults of whole servers or machines. */
interface Case {
  readonly faults: string;
  readonly steps: readonly TimedStep[];
  /** Lines of the log, or conditions on the hub, that exist only if the faults really happened. */
  readonly happened: readonly RegExp[];
}

/** Several faults share a history, because a history costs about a second of processor time. */
export const CASES: readonly Case[] = [
  {
    faults: 'restarts of API servers, lost histories of servers, and wrong clocks of agents',
    steps: [
      ...install,
      after(6_000, { do: 'server restart', server: 'hub', downMs: 900 }),
      after(2_500, upgrade),
      after(2_000, { do: 'server restart', server: 'c1', downMs: 8_000 }),
      after(3_000, { do: 'history lost', server: 'hub', forMs: 900 }),
      after(2_000, { do: 'history lost', server: 'c3', forMs: 1 }),
      after(0, { do: 'agent clock', cluster: 'c1', ms: -3_600_000, forMs: 300_000 }),
      after(0, { do: 'agent clock', cluster: 'c2', ms: 3_600_000, forMs: 300_000 }),
      after(1_000, { do: 'agent crash', cluster: 'c1', writes: 1, downMs: 500 }),
    ],
    happened: [
      / hub: crashed$/,
      / c1: crashed$/,
      /lost at a dead server$/,
      /manager-0: warn watching a kind failed.*the server went away/,
      /manager-0: GET \/apis\/\S+\/manifestworks ended with 410$/,
      /agent-c2-0: GET \/apis\/\S+\/manifestworks ended with 410$/,
      /agent-c3-0: GET \/api\/v1\/nodes ended with 410$/,
      /agent-c1-1: clock skewed by -3600000 ms$/,
      /^ManagedCluster c1 ManagedClusterConditionAvailable Unknown /,
      /^ManagedCluster c1 ManagedClusterConditionClockSynced False /,
      /^ManagedCluster c2 ManagedClusterConditionClockSynced False /,
    ],
  },
  {
    faults: 'outages of the webhooks, and the end of a certificate while its agent is away',
    steps: [
      ...install,
      after(500, { do: 'webhook outage', forMs: 7_000, isSilent: false }),
      after(500, { do: 'join', cluster: 'c4', fleet: true, canary: false }),
      after(0, { do: 'label', cluster: 'c2', fleet: true, canary: true }),
      after(2_000, { do: 'webhook outage', forMs: 30_000, isSilent: true }),
      after(120_000, { do: 'certificate expires', cluster: 'c1' }),
      after(0, upgrade),
    ],
    happened: [
      // What only admission can check is refused: the acceptance of a cluster, and the lifetime of a certificate.
      /person: POST \S+\/managedclusters 500$/,
      /agent-c\d-0: POST \S+\/certificatesigningrequests 500$/,
      // Other writes are accepted without the webhook.
      /hub: warn webhook failed .*"isIgnored":true/,
      /hub: warn webhook failed .*context deadline exceeded/,
      /agent-c1-0: info agent has a credential for the hub/,
      /agent-c1-1: info agent joins the hub .*the certificate has expired/,
      /agent-c1-1: info agent has a credential for the hub/,
    ],
  },
];
