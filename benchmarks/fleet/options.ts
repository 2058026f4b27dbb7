import { parseArgs } from 'node:util';

/** The short names of the scenarios, in the order in which they run. */
export const SCENARIO_NAMES = [
  'install',
  'edit',
  'progressive',
  'groups',
  'rollback',
  'dependency',
  'join',
  'away',
  'failover',
  'restart',
  'leases',
  'connections',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** The scenarios that run only if `--scenarios` names them: they change the manager's flags, or open a connection per cluster. */
const ON_REQUEST: ReadonlySet<ScenarioName> = new Set(['leases', 'connections']);

export interface FleetOptions {
  readonly clusters: number;
  readonly addOns: number;
  readonly hub: 'embedded' | 'kube';
  /** How long the agents take to report on a work. */
  readonly delayMs: number;
  /** The number of the swarm's connections to the hub. */
  readonly connections: number;
  /** The scenarios to run. The install always runs. */
  readonly scenarios: ReadonlySet<ScenarioName>;
  /** The scenarios that the user named; empty if none. */
  readonly named: readonly ScenarioName[];
}

export const USAGE = `npm run bench:fleet -- [options]
  --clusters N         clusters of the fleet (100)
  --addons M           add-ons on each cluster (2)
  --hub embedded|kube  the API server (embedded)
  --delay MS           how long an agent takes to report (0)
  --connections N      HTTP/2 connections of the agents (16)
  --scenarios a,b      only these, of: ${SCENARIO_NAMES.join(', ')}
                       (without it: all except ${[...ON_REQUEST].join(' and ')})`;

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
  const named = values.scenarios === '' ? [] : values.scenarios.split(',').map(scenarioName);
  if (hub !== 'embedded' && hub !== 'kube') throw new Error(`--hub is embedded or kube, not ${hub}`);
  return {
    clusters: wholeNumber('clusters', values.clusters),
    addOns: wholeNumber('addons', values.addons),
    hub,
    delayMs: wholeNumber('delay', values.delay),
    connections: wholeNumber('connections', values.connections),
    scenarios: new Set(named.length === 0 ? SCENARIO_NAMES.filter((name) => !ON_REQUEST.has(name)) : ['install', ...named]),
    named,
  };
}

function scenarioName(text: string): ScenarioName {
  const known = SCENARIO_NAMES.find((name) => name === text);
  if (!known) throw new Error(`--scenarios are ${SCENARIO_NAMES.join(', ')}, not ${text}`);
  return known;
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} is a whole number, not ${text}`);
  return Number(text);
}
