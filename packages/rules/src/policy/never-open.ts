import type { CompiledPolicy } from './compile.js';
import { WindowGates } from './window-gates.js';
import type { GatedCluster, Operation } from './windows.js';

/** A set of windows that together never allow an operation on some clusters. */
export interface ClosedForever {
  readonly operation: Operation;
  /** The windows that apply to `clusters`, as `<policy>/<name>`. */
  readonly windows: readonly string[];
  readonly clusters: readonly string[];
}

const OPERATIONS: readonly Operation[] = ['Upgrade', 'Install', 'Remove'];

/** Finds windows that exclude each other, so that an operation is not allowed on some clusters at any time in the next two years. */
export function closedForever(
  policies: readonly CompiledPolicy[],
  clusters: readonly GatedCluster[],
  now: number,
): readonly ClosedForever[] {
  const gates = new WindowGates(policies, undefined, now);
  return OPERATIONS.flatMap((operation) => {
    const found = new Map<string, string[]>();
    for (const cluster of clusters) {
      const gate = gates.gateOf(cluster, operation);
      if (gate.isOpen || gate.opensAt !== undefined) continue;
      const key = gates.concerning(cluster, operation).join(' ');
      found.set(key, [...(found.get(key) ?? []), cluster.name]);
    }
    return [...found].map(([key, names]) => ({ operation, windows: key.split(' '), clusters: names }));
  });
}

/** Returns the groups that approval gates in a policy reference by name or index and for which `exists` returns false. */
export function missingGroups(
  policy: CompiledPolicy,
  exists: (group: { readonly groupName?: string; readonly groupIndex?: number }) => boolean,
): readonly { readonly gate: string; readonly group: string }[] {
  return policy.approvals.flatMap(({ name, groups }) =>
    groups
      .filter((group) => !exists(group))
      .map(({ groupName, groupIndex }) => ({ gate: `${policy.name}/${name}`, group: groupName ?? `number ${groupIndex ?? 0}` })),
  );
}
