import type { Runtime } from '@outrigger/core';
import type { Step } from '@outrigger/simulator';
import type { RealKube } from '../../harness/index.js';
import type { Cluster } from './cluster.js';
import type { ManagerReplica } from './manager.js';
import { LEASE_TIMING } from './messages.js';

export interface FaultyParts {
  readonly runtime: Pick<Runtime, 'timers'>;
  readonly kube: RealKube;
  readonly managers: readonly ManagerReplica[];
  readonly clusters: ReadonlyMap<string, Cluster>;
}

/** The longest time for which a connection or a process is away. It is short, so that a run takes seconds. */
const LONGEST_MS = 2_000;
/**
 * The time for which a leader is paused. It is long enough for the leader to lose its lease, so that the other manager leads before the
 * paused one continues.
 */
const LOST_LEASE_MS = LEASE_TIMING.leaseDurationMs + 1_500;
/** After this time, a leader that was to crash at a write is killed even if it has not written. */
const LATEST_CRASH_MS = 1_500;

/** Executes the faults of a history on real processes and connections. */
export class Faults {
  readonly #parts: FaultyParts;
  readonly #open = new Set<() => Promise<void> | void>();

  constructor(parts: FaultyParts) {
    this.#parts = parts;
  }

  async disturb(step: Step): Promise<void> {
    const { managers, clusters, kube } = this.#parts;
    const short = (ms: number): number => Math.min(ms, LONGEST_MS);
    switch (step.do) {
      case 'lag':
        this.#pause(managers[step.process], short(step.ms));
        return;
      case 'slow requests':
        this.#pause(await this.#leader(), short(step.forMs));
        return;
      case 'leader change':
        this.#pause(await this.#leader(), LOST_LEASE_MS);
        return;
      case 'break watch':
        this.#cut(managers[step.process], short(step.forMs));
        return;
      case 'lose requests': {
        const leader = await this.#leader();
        if (step.fate === 'lost') this.#cut(leader, 100 * step.count);
        else this.#stall(leader, 500 * step.count);
        return;
      }
      case 'crash':
        this.#crash(await this.#leader(), step.writes, short(step.downMs));
        return;
      case 'cluster away':
        this.#cut(clusters.get(step.cluster), LONGEST_MS);
        return;
      case 'flap': {
        const cluster = clusters.get(step.cluster);
        cluster?.setCrashing(true);
        this.#after(short(step.forMs), () => cluster?.setCrashing(false));
        return;
      }
      case 'agent crash': {
        const cluster = clusters.get(step.cluster);
        await cluster?.crashAgent();
        this.#after(short(step.downMs), () => cluster?.startAgent());
        return;
      }
      case 'hub clock':
        // The clock of one process cannot be changed, because all processes share the machine's clock. The API server is killed instead.
        await kube.restart('kube-apiserver');
        return;
      default:
        throw new Error(`${step.do} is not a fault`);
    }
  }

  /** Ends all faults. */
  async end(): Promise<void> {
    for (const end of this.#open) await end();
    for (const manager of this.#parts.managers) manager.start();
    for (const cluster of this.#parts.clusters.values()) cluster.startAgent();
  }

  /** Ends a fault after some time, or when all faults end. */
  #after(ms: number, end: () => Promise<void> | void): void {
    const once = async (): Promise<void> => {
      if (this.#open.delete(once)) await end();
    };
    this.#open.add(once);
    void this.#parts.runtime.timers.sleep(ms).then(once);
  }

  #pause(manager: ManagerReplica | undefined, ms: number): void {
    manager?.pause();
    this.#after(ms, () => manager?.resume());
  }

  #cut(part: Pick<Cluster, 'relay'> | undefined, ms: number): void {
    part?.relay.cut();
    this.#after(ms, () => part?.relay.restore());
  }

  #stall(manager: ManagerReplica, ms: number): void {
    manager.relay.stall();
    this.#after(ms, () => manager.relay.restore());
  }

  #crash(manager: ManagerReplica, writes: number, downMs: number): void {
    manager.crashAt(writes);
    this.#after(LATEST_CRASH_MS, async () => {
      await manager.kill();
      this.#after(downMs, () => manager.start());
    });
  }

  async #leader(): Promise<ManagerReplica> {
    const { managers } = this.#parts;
    const states = await Promise.all(managers.map((manager) => manager.state()));
    return managers[states.findIndex((state) => state?.isLeading === true)] ?? (managers[0] as ManagerReplica);
  }
}
