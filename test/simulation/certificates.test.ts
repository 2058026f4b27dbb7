import { beforeAll, describe, expect, it } from 'vitest';
import { CLUSTERS, type History, type PreparedWorld, type Step, type TimedStep, examine, prepareWorld } from '@outrigger/simulator';

let prepared: PreparedWorld;
beforeAll(async () => {
  prepared = await prepareWorld();
});

const rollout = { type: 'All', maxConcurrency: 1, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '0s' } as const;
const strategy = { type: 'Placements', rollout, hasCanary: false, defaultVersion: 'v1' } as const;
const SETTLED_MS = 40_000;
const after = (afterMs: number, step: Step): TimedStep => ({ afterMs, step });
const INSTALLED: readonly TimedStep[] = [
  after(0, { do: 'declare', addOn: 'alpha', strategy }),
  after(0, { do: 'declare', addOn: 'beta', strategy }),
];

interface Request {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>>; readonly labels?: Readonly<Record<string, string>> };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly message?: string }[] };
}

/** Runs the steps. Returns a line for each answered request of the cluster: the machine, what it asked for, and the answer. */
async function answers(cluster: string, steps: readonly TimedStep[]): Promise<readonly string[]> {
  const history: History = { seed: 1, hasReplica: false, hasRegistration: true, steps: [...INSTALLED, ...steps] };
  const { result, violations } = await examine(history, prepared);
  expect(violations).toEqual([]);
  return result.log.flatMap(({ kind, before, after: stored }) => {
    if (kind.plural !== 'certificatesigningrequests' || !before || !stored) return [];
    const { metadata, status } = stored as unknown as Request;
    const [was, is] = [(before as unknown as Request).status?.conditions, status?.conditions];
    if (metadata.labels?.['open-cluster-management.io/cluster-name'] !== cluster || is === undefined || was !== undefined) return [];
    const {
      'sim.outrigger.dev/machine': machine,
      'sim.outrigger.dev/asks': asks,
      'sim.outrigger.dev/wrong': wrong,
    } = metadata.annotations ?? {};
    return [`${machine} ${asks}${wrong === undefined ? '' : ` with a wrong ${wrong}`}: ${is[0]?.type ?? ''}`];
  });
}

const DETACHED: readonly TimedStep[] = [after(SETTLED_MS, { do: 'detach', cluster: 'c1', isForced: false })];
const TAKEN: readonly TimedStep[] = [
  after(20_000, { do: 'ask to join', cluster: 'c1', machine: 'second' }),
  after(5_000, { do: 'join', cluster: 'c1', fleet: true, canary: false }),
];

describe('certificates in simulated runs', () => {
  it('go to another machine after a detach and a confirmed reuse, and no longer to the machine before it', async () => {
    const found = await answers('c1', [
      ...DETACHED,
      after(20_000, { do: 'allow reuse', cluster: 'c1' }),
      ...TAKEN,
      after(20_000, { do: 'renew', cluster: 'c1', machine: 'first' }),
      after(0, { do: 'ask for add-on', cluster: 'c1', machine: 'first' }),
      after(5_000, { do: 'renew', cluster: 'c1', machine: 'second' }),
    ]);
    const taken = found.indexOf('second join: Approved');
    expect(found.slice(taken)).toEqual(
      expect.arrayContaining(['second add-on: Approved', 'first renew: Denied', 'first add-on: Denied', 'second renew: Approved']),
    );
    expect(found.slice(taken).filter((answer) => /^first.*Approved/.test(answer))).toEqual([]);
  });

  it('do not go to another machine while the certificates of the first one are valid', async () => {
    const found = await answers('c1', [...DETACHED, ...TAKEN, after(20_000, { do: 'ask to join', cluster: 'c1', machine: 'first' })]);
    expect(found).toContain('second join: Denied');
    expect(found).not.toContain('second join: Approved');
    expect(found.slice(found.indexOf('second join: Denied'))).toContain('first join: Approved');
  });

  it('are issued again to a machine whose certificate expired while it was away', async () => {
    const away = CLUSTERS.slice(0, 3).map((cluster) => after(0, { do: 'cluster away', cluster, forMs: 2_400_000 }));
    const rest = after(2_500_000, { do: 'metrics', addOn: 'alpha', value: 0 });
    const found = await Promise.all(CLUSTERS.slice(0, 3).map((cluster) => answers(cluster, [...away, rest])));
    expect(found.flat()).toContain('first join: Approved');
  });

  it.each(['requester', 'subject', 'usages', 'token'] as const)('are not issued for a request with a wrong %s', async (wrong) => {
    const found = await answers('c1', [after(SETTLED_MS, { do: 'wrong request', cluster: 'c1', wrong })]);
    expect(found).toContain(`first ${wrong === 'token' ? 'join' : 'add-on'} with a wrong ${wrong}: Denied`);
  });
});
