import { parseArgs } from 'node:util';

export interface FleetOptions {
  readonly clusters: number;
  readonly addOns: number;
  readonly hub: 'embedded' | 'kube';
  /** How long the agents take to report on a work. */
  readonly delayMs: number;
  /** The number of the swarm's connections to the hub. */
  readonly connections: number;
  /** The scenarios to run; empty for all. The install always runs. */
  readonly scenarios: readonly string[];
}

/** The short names of the scenarios, in the order in which they run. */
const SCENARIOS = ['install', 'edit', 'progressive', 'rollback', 'join', 'away', 'restart'] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

/** Parses the options of `npm run bench:fleet`. */
export function fleetOptions(args: readonly string[]): FleetOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clusters: { type: 'string', default: '100' },
      addons: { type: 'string', default: '2' },
      hub: { type: 'string', default: 'embedded' },
      delay: { type: 'string', default: '0' },
      connections: { type: 'string', default: '16' },
      scenarios: { type: 'string', default: '' },
    },
  });
  const { hub } = values;
  const scenarios = values.scenarios === '' ? [] : values.scenarios.split(',');
  const unknown = scenarios.find((name) => !SCENARIOS.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--scenarios are ${SCENARIOS.join(', ')}, not ${unknown}`);
  if (hub !== 'embedded' && hub !== 'kube') throw new Error(`--hub is embedded or kube, not ${hub}`);
  return {
    clusters: wholeNumber('clusters', values.clusters),
    addOns: wholeNumber('addons', values.addons),
    hub,
    delayMs: wholeNumber('delay', values.delay),
    connections: wholeNumber('connections', values.connections),
    scenarios,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} is a whole number, not ${text}`);
  return Number(text);
}
