import type { RolloutWait } from '@outrigger/api';
import { countText, defined, earliest, parseTime, roundUpToSecond, toTime } from '@outrigger/core';
import type { CompiledPolicy } from './compile.js';
import type { GateDecisions } from './decisions.js';
import { LOOSENING_MS, LOOSENING_TEXT, UNTRUSTED_CLOCK_TEXT, digests } from './gates.js';
import { WindowGates } from './window-gates.js';
import type { GatedCluster } from './windows.js';

/** A gate that holds the removal of an add-on from a cluster. */
type HoldingGate = Pick<RolloutWait, 'kind' | 'name' | 'until' | 'message' | 'digest' | 'loosened'>;

/**
 * Whether an add-on may be removed from a cluster now. If it may not, `heldBy` lists the gates that hold the removal, and `opensAt` is the
 * time at which they open, if it is known.
 */
export type RemovalGate =
  | { readonly isOpen: true }
  | { readonly isOpen: false; readonly heldBy: readonly HoldingGate[]; readonly opensAt: number | undefined };

export interface RemovalGateInput {
  readonly policies: readonly CompiledPolicy[];
  /** Provides the gate overrides that are in force. Only those of windows are used. */
  readonly overrides: Pick<GateDecisions, 'override'> | undefined;
  readonly isClockTrusted: boolean;
  /**
   * The items of `waitingFor` in the record that concern removals. A gate that was deleted or edited after its item was recorded still
   * holds removals for 5 minutes.
   */
  readonly recorded: readonly RolloutWait[];
  readonly now: number;
}

const OPEN: RemovalGate = { isOpen: true };

/**
 * Returns a function that evaluates the removal gate of a cluster. Windows and invalid policies hold removals; approvals and analyses do
 * not.
 */
export function removalGates(input: RemovalGateInput): (cluster: GatedCluster) => RemovalGate {
  const { policies, now } = input;
  const digestOf = digests(policies);
  const loosened = looseningGates(input, digestOf);
  if (policies.length === 0 && loosened.length === 0) return () => OPEN;
  const windows = new WindowGates(policies, input.overrides, now);
  const invalid = policies.flatMap(({ name, problem }): readonly HoldingGate[] =>
    problem === undefined ? [] : [{ kind: 'Policies', name, message: problem }],
  );
  const clock: HoldingGate = { kind: 'Clock', name: 'clock', message: UNTRUSTED_CLOCK_TEXT };
  return (cluster) => {
    const untrusted = !input.isClockTrusted && windows.concerns(cluster, 'Remove') ? [clock] : [];
    const gate = windows.gateOf(cluster, 'Remove');
    const inWindows =
      gate.isOpen || untrusted.length > 0
        ? []
        : gate.heldBy.map(({ policy, window }) => holdingWindow(`${policy}/${window}`, gate.opensAt, digestOf));
    const heldBy = [...invalid, ...untrusted, ...inWindows, ...loosened];
    if (heldBy.length === 0) return OPEN;
    const isTimed = invalid.length + untrusted.length === 0 && (gate.isOpen || gate.opensAt !== undefined);
    const ends = [gate.isOpen ? now : (gate.opensAt ?? now), ...loosened.map(({ until }) => parseTime(until) ?? now)];
    return { isOpen: false, heldBy, opensAt: isTimed ? Math.max(...ends) : undefined };
  };
}

function holdingWindow(name: string, opensAt: number | undefined, known: ReadonlyMap<string, string>): HoldingGate {
  const until = opensAt === undefined ? undefined : toTime(roundUpToSecond(opensAt));
  return defined({ kind: 'Window' as const, name, until, digest: known.get(name) });
}

function looseningGates({ recorded, now }: RemovalGateInput, current: ReadonlyMap<string, string>): readonly HoldingGate[] {
  return recorded.flatMap(({ kind, name, digest, until, clusters = 0, loosened }): readonly HoldingGate[] => {
    const changed = defined({ kind, name, digest, message: LOOSENING_TEXT, loosened: true });
    if (loosened) return until !== undefined && (parseTime(until) ?? now) > now ? [{ ...changed, until }] : [];
    if (digest === undefined || clusters === 0 || current.get(name) === digest) return [];
    return [{ ...changed, until: toTime(roundUpToSecond(now + LOOSENING_MS)) }];
  });
}

/** The removal of an add-on from one cluster, and the gate that holds the removal. */
export interface HeldRemoval {
  /** The entry that last selected the cluster. */
  readonly entry: string;
  readonly gate: RemovalGate & { readonly isOpen: false };
}

/** Returns the items of `waitingFor` for the removals that gates hold, by entry. */
export function removalWaits(
  held: readonly HeldRemoval[],
  recorded: readonly (RolloutWait & { readonly entry: string })[],
  now: number,
): ReadonlyMap<string, readonly RolloutWait[]> {
  const found = new Map<string, { readonly entry: string; readonly gate: HoldingGate; count: number; until: number | undefined }>();
  for (const { entry, gate } of held) {
    for (const one of gate.heldBy) {
      const key = `${entry} ${one.kind} ${one.name} ${one.loosened ?? false}`;
      const wait = found.get(key) ?? { entry, gate: one, count: 0, until: undefined };
      wait.count++;
      wait.until = earliest(wait.until, parseTime(one.until));
      found.set(key, wait);
    }
  }
  const waits = new Map<string, RolloutWait[]>();
  for (const { entry, gate, count, until } of found.values()) {
    const isIt = (one: RolloutWait & { readonly entry: string }): boolean =>
      one.entry === entry && one.kind === gate.kind && one.name === gate.name && (one.loosened ?? false) === (gate.loosened ?? false);
    const end = until === undefined ? undefined : toTime(until);
    const wait: RolloutWait = defined({
      kind: gate.kind,
      name: gate.name,
      operation: 'Remove' as const,
      since: recorded.find(isIt)?.since ?? toTime(now),
      until: end,
      message: messageOf(gate, count, end),
      clusters: count,
      digest: gate.digest,
      loosened: gate.loosened || undefined,
    });
    waits.set(entry, [...(waits.get(entry) ?? []), wait]);
  }
  return waits;
}

function messageOf({ message }: HoldingGate, count: number, until: string | undefined): string {
  const what = `no removal from ${countText(count, 'cluster')}`;
  if (message !== undefined) return `${what}: ${message}`;
  return until === undefined ? `${what}, and the window does not open within two years` : `${what} until ${until}`;
}

/** Whether an item of `waitingFor` concerns removals, not admissions. */
export function isRemovalWait({ operation }: RolloutWait): boolean {
  return operation === 'Remove';
}
