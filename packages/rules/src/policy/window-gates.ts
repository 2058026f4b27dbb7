import { countText, earliest, roundUpToSecond, toTime } from '@outrigger/core';
import type { CompiledPolicy, WindowGateDefinition } from './compile.js';
import type { GateDecisions } from './decisions.js';
import { type GateCluster, type GateGroup, type Hold } from './hold.js';
import { type GatedCluster, type Operation, type PolicyWindows, type WindowGate, applies, windowGate } from './windows.js';

/** The windows of all governing policies at one instant. Clusters with the same windows and zones share one computed result. */
export class WindowGates {
  readonly #policies: readonly { readonly policy: string; readonly windows: readonly WindowGateDefinition[] }[];
  readonly #now: number;
  readonly #gates = new Map<string, WindowGate>();
  /** The earliest time at which a gate override of a window expires. */
  readonly overridesEndAt: number | undefined;

  /** `decisions` provides the gate overrides that are in force. Only those of windows are used. */
  constructor(policies: readonly CompiledPolicy[], decisions: Pick<GateDecisions, 'override'> | undefined, now: number) {
    this.#now = now;
    const ends: number[] = [];
    this.#policies = policies.map(({ name, windows }) => {
      const overridden = windows.filter((window) => {
        const override = decisions?.override(`${name}/${window.name}`, now);
        if (override?.endsAt !== undefined) ends.push(override.endsAt);
        return override !== undefined;
      });
      // One open Allow window is enough, so a gate override of one Allow window also overrides the policy's other Allow windows.
      const isAllowed = overridden.some(({ effect }) => effect === 'Allow');
      return { policy: name, windows: windows.filter((one) => !overridden.includes(one) && !(isAllowed && one.effect === 'Allow')) };
    });
    this.overridesEndAt = earliest(...ends);
  }

  /** `<policy>/<name>` of the windows that apply to the cluster for this operation. */
  concerning(cluster: GatedCluster, operation: Operation): readonly string[] {
    return this.#policies.flatMap(({ policy, windows }) =>
      windows.filter((window) => applies(window, cluster, operation)).map(({ name }) => `${policy}/${name}`),
    );
  }

  concerns(cluster: GatedCluster, operation: Operation): boolean {
    return this.concerning(cluster, operation).length > 0;
  }

  gateOf(cluster: GatedCluster, operation: Operation): WindowGate {
    const applying: PolicyWindows[] = this.#policies.map(({ policy, windows }) => ({
      policy,
      windows: windows.filter((window) => applies(window, cluster, operation)),
    }));
    const zones = applying.flatMap(({ policy, windows }) =>
      windows.map((window) => `${policy}/${window.name} ${window.zoneFor(cluster).name}`),
    );
    const key = zones.join('\n');
    let gate = this.#gates.get(key);
    if (!gate) {
      gate = windowGate(applying, cluster, { operation, now: this.#now });
      this.#gates.set(key, gate);
    }
    return gate;
  }

  /** Returns the windows that hold waiting clusters, and the time at which the next window opens or closes. */
  holds(groups: readonly GateGroup[]): { readonly holds: readonly Hold[]; readonly changesAt: number | undefined } {
    const found = new Map<string, { readonly held: string[]; reached: number; opensAt: number | undefined; zoneless: number }>();
    let changesAt: number | undefined;
    for (const { waiting, isReached } of groups) {
      for (const cluster of waiting) {
        const gate = this.gateOf(cluster, cluster.operation);
        changesAt = earliest(changesAt, gate.changesAt);
        if (gate.isOpen) continue;
        for (const { policy, window } of gate.heldBy) {
          const name = `${policy}/${window}`;
          const one = found.get(name) ?? { held: [], reached: 0, opensAt: undefined, zoneless: 0 };
          one.held.push(cluster.name);
          if (isReached) one.reached++;
          one.opensAt = earliest(one.opensAt, gate.opensAt);
          if (this.#hasNoZone(name, cluster)) one.zoneless++;
          found.set(name, one);
        }
      }
    }
    const holds = [...found].map(([name, { held, reached, opensAt, zoneless }]): Hold => {
      const definition = this.#definition(name);
      const until = opensAt === undefined ? undefined : toTime(roundUpToSecond(opensAt));
      return {
        wait: {
          kind: 'Window',
          name,
          message: windowMessage(definition, { count: reached, until, zoneless }),
          ...(until === undefined ? {} : { until }),
          ...(definition ? { digest: definition.digest } : {}),
          ...(definition?.operations.includes('Install') ? { holdsInstalls: true } : {}),
        },
        held,
        isReached: reached > 0,
        holdsCompletion: false,
      };
    });
    return { holds, changesAt };
  }

  /** Reports, by window, the clusters whose annotation does not name a known time zone. The window uses its fallback zone for them. */
  zoneProblems(clusters: readonly GateCluster[]): readonly string[] {
    return this.#policies.flatMap(({ policy, windows }) =>
      windows.flatMap(({ name, zoneAnnotation, fallbackZone }) => {
        const count = clusters.filter((cluster) => this.#hasNoZone(`${policy}/${name}`, cluster)).length;
        if (count === 0 || zoneAnnotation === undefined) return [];
        return [
          `${policy}/${name}: ${countText(count, 'cluster')} without a known time zone in the annotation ${zoneAnnotation}; ${fallbackZone} applies`,
        ];
      }),
    );
  }

  #definition(name: string): WindowGateDefinition | undefined {
    for (const { policy, windows } of this.#policies) {
      const found = windows.find((window) => `${policy}/${window.name}` === name);
      if (found) return found;
    }
    return undefined;
  }

  #hasNoZone(name: string, cluster: GateCluster): boolean {
    const definition = this.#definition(name);
    if (definition?.zoneAnnotation === undefined || !applies(definition, cluster, cluster.operation)) return false;
    return cluster.annotations[definition.zoneAnnotation] === undefined;
  }
}

function windowMessage(
  window: WindowGateDefinition | undefined,
  { count, until, zoneless }: { readonly count: number; readonly until: string | undefined; readonly zoneless: number },
): string {
  const who = countText(count, 'cluster');
  const end = until === undefined ? 'and does not open within two years' : `until ${until}`;
  const zone =
    zoneless > 0 ? ` (${countText(zoneless, 'cluster')} without a known time zone: ${window?.fallbackZone ?? 'UTC'} applies)` : '';
  return `closed for ${who} ${end}${zone}`;
}
