import { ADDON_LABEL } from './content.js';
import type { LogEntry, LoggedPass, ObjectHistory, Stored, Violation } from './log.js';
import { KIND, conditionOf } from './reading.js';

const RULE = 'certificates';
const CLUSTER_LABEL = 'open-cluster-management.io/cluster-name';
const IDENTITY = 'outrigger.dev/agent-identity';
/**
 * The annotations that the simulation writes on each request: the machine that sends it, the kind of request, and, if the hub must not
 * approve the request, the part of it that is wrong.
 */
const MACHINE = 'sim.outrigger.dev/machine';
const ASKS = 'sim.outrigger.dev/asks';
const WRONG = 'sim.outrigger.dev/wrong';
const PERSON = 'person';

/** A machine that joined under a name, and the number of log entries before its approval. */
interface Joined {
  readonly from: number;
  readonly machine: string;
}

/**
 * AT-51: only the machine that joined last under the name of a cluster gets certificates, for itself and for its add-ons. Another machine
 * gets the name only after the cluster was detached, and only when the last certificate of the name has expired or an administrator has
 * confirmed the reuse. The check uses the state that the pass had read.
 */
export class NameHolders {
  readonly #history: ObjectHistory;
  readonly #hasClockSteps: boolean;
  readonly #joined = new Map<string, Joined[]>();
  /** The time at which the last certificate of each cluster and its add-ons expires. */
  readonly #endsAt = new Map<string, number>();
  /** For each cluster, the log entries at which its deletion began or it was deleted, and at which a reuse of its name was confirmed. */
  readonly #detachedAt = new Map<string, number[]>();
  readonly #reusedAt = new Map<string, number[]>();

  constructor(history: ObjectHistory, hasClockSteps: boolean) {
    this.#history = history;
    this.#hasClockSteps = hasClockSteps;
    for (const request of history.list(KIND.requests)) {
      const { cluster, machine, asks } = askedBy(request);
      if (asks !== 'add-on' && isApproved(request)) this.#joined.set(cluster, [{ from: -1, machine }]);
    }
  }

  judge(entry: LogEntry): readonly Violation[] {
    this.#note(entry);
    const { kind, pass, before, after, index } = entry;
    if (kind !== KIND.requests || !after || !isApproved(after) || (before && isApproved(before))) return [];
    const asked = askedBy(after);
    const problems = pass ? [...this.#problems(asked, pass), ...(asked.wrong ? [`its ${asked.wrong} is wrong`] : [])] : [];
    if (asked.asks === 'join') this.#joined.set(asked.cluster, [...(this.#joined.get(asked.cluster) ?? []), { from: index, ...asked }]);
    const what = `the request of the ${asked.machine} machine of ${asked.cluster} to ${asked.asks}`;
    return problems.map((problem) => ({ rule: RULE, message: `${what} is approved although ${problem}`, index }));
  }

  #note({ kind, id, index, at, actor, before, after }: LogEntry): void {
    const add = (where: Map<string, number[]>): unknown => where.set(id, [...(where.get(id) ?? []), index]);
    if (kind === KIND.clusters && before && (!after || after.metadata.deletionTimestamp !== undefined)) add(this.#detachedAt);
    const identity = after?.metadata.annotations?.[IDENTITY];
    if (kind === KIND.namespaces && actor === PERSON && identity !== before?.metadata.annotations?.[IDENTITY]) add(this.#reusedAt);
    if (kind !== KIND.requests || !after || certificateOf(after) === certificateOf(before)) return;
    const { cluster } = askedBy(after);
    const { expirationSeconds = 0 } = (after.spec ?? {}) as { readonly expirationSeconds?: number };
    this.#endsAt.set(cluster, Math.max(this.#endsAt.get(cluster) ?? 0, at + expirationSeconds * 1000));
  }

  /** Returns the reasons for which the pass must not approve the request; empty if it may. */
  #problems({ cluster, machine, asks, addOn }: Asked, pass: LoggedPass): readonly string[] {
    const record = this.#history.get(KIND.clusters, cluster, pass.seen[KIND.clusters]);
    if (!isStaying(record)) return ['its ManagedCluster is gone or being deleted'];
    const holder = this.#holder(cluster, pass);
    if (asks === 'join') return holder === undefined || holder.machine === machine ? [] : this.#takeOver(cluster, holder, pass);
    const found = holder?.machine === machine ? [] : [`the ${holder?.machine ?? 'first'} machine holds the name`];
    const installed = this.#history.get(KIND.addOns, `${cluster}/${addOn}`, pass.seen[KIND.addOns]);
    return asks === 'add-on' && !isStaying(installed) ? [...found, `${addOn} is not installed`] : found;
  }

  /**
   * The machine that held the name in the state that the pass had read. Requests and identity records come from different watches, so the
   * less recent of the two counts.
   */
  #holder(cluster: string, { seen }: LoggedPass): Joined | undefined {
    const count = Math.min(seen[KIND.requests] ?? 0, seen[KIND.namespaces] ?? 0);
    return this.#joined.get(cluster)?.findLast(({ from }) => from < count);
  }

  #takeOver(cluster: string, holder: Joined, pass: LoggedPass): readonly string[] {
    const detachedAt = this.#detachedAt.get(cluster)?.find((index) => index > holder.from);
    if (detachedAt === undefined) return [`the ${holder.machine} machine holds the name`];
    const isConfirmed = this.#reusedAt.get(cluster)?.some((index) => index > detachedAt) === true;
    // If the hub's clock makes steps, every certificate may count as expired, because the hub compares stored times with its clock.
    const isExpired = this.#hasClockSteps || pass.at >= (this.#endsAt.get(cluster) ?? Number.POSITIVE_INFINITY);
    return isConfirmed || isExpired ? [] : [`certificates of the ${holder.machine} machine are valid and the name is not released`];
  }

  /** Checks that at the end the last requests of every machine that holds the name of a cluster are approved. */
  judgeEnd(): readonly Violation[] {
    const last = new Map<string, Stored>();
    for (const request of this.#history.list(KIND.requests)) {
      const { cluster, machine, asks, addOn, wrong } = askedBy(request);
      const isHolder = this.#joined.get(cluster)?.at(-1)?.machine === machine;
      const isServed = isStaying(this.#history.get(KIND.clusters, cluster));
      // An add-on without a declaration has no registration, so its request waits.
      const isDeclared = isStaying(this.#history.get(KIND.declarations, addOn));
      const isInstalled = asks !== 'add-on' || (isDeclared && isStaying(this.#history.get(KIND.addOns, `${cluster}/${addOn}`)));
      if (isHolder && isServed && isInstalled && wrong === undefined) last.set(`${cluster} ${addOn}`, request);
    }
    return [...last.values()]
      .filter((request) => certificateOf(request) === undefined)
      .map((request) => {
        const { cluster, machine, asks } = askedBy(request);
        const denied = conditionOf(request, 'Denied') as { readonly message?: string } | undefined;
        const state = denied ? `is denied: ${denied.message ?? ''}` : isApproved(request) ? 'is not signed' : 'waits';
        return { rule: RULE, message: `the last request of the ${machine} machine of ${cluster} to ${asks} ${state}` };
      });
  }
}

interface Asked {
  readonly cluster: string;
  readonly addOn: string;
  readonly machine: string;
  readonly asks: string;
  readonly wrong: string | undefined;
}

function askedBy({ metadata: { labels = {}, annotations = {} } }: Stored): Asked {
  return {
    cluster: labels[CLUSTER_LABEL] ?? '',
    addOn: labels[ADDON_LABEL] ?? '',
    machine: annotations[MACHINE] ?? '',
    asks: annotations[ASKS] ?? '',
    wrong: annotations[WRONG],
  };
}

function isApproved(request: Stored): boolean {
  return conditionOf(request, 'Approved')?.status === 'True';
}

function certificateOf(request: Stored | undefined): string | undefined {
  return ((request?.status ?? {}) as { readonly certificate?: string }).certificate;
}

function isStaying(object: Stored | undefined): boolean {
  return object !== undefined && object.metadata.deletionTimestamp === undefined;
}
