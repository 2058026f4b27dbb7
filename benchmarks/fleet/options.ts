import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The short names of the scenarios, in the order in which they run. */
export const SCENARIO_NAMES = [
  'install',
  'edit',
  'edit-one',
  'edit-100',
  'progressive',
  'groups',
  'rollback',
  'dependency',
  'join',
  'away',
  'failing',
  'lagging',
  'failover',
  'restart',
  'idle',
  'certificates',
  'connections',
  'day',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** The scenarios that run only if `--scenarios` names them: they change the manager's flags, open a connection per cluster, or take long. */
const ON_REQUEST: ReadonlySet<ScenarioName> = new Set(['idle', 'certificates', 'connections', 'day']);

/** The scenarios that direct the agents, for example to fail or to stop reporting. Only stand-ins can be directed. */
const SWARM_ONLY: ReadonlySet<ScenarioName> = new Set(['dependency', 'away', 'failing', 'lagging', 'idle', 'certificates', 'connections']);

/** The maximum number of clusters with real agents. The simulated API servers of all these clusters run in one process. */
export const MAX_REAL_AGENTS = 300;

export interface FleetOptions {
  readonly clusters: number;
  readonly addOns: number;
  readonly hub: 'embedded' | 'kube';
  /** `swarm`: stand-ins for agents. `real`: the agent of the product, once for each cluster. */
  readonly agents: 'swarm' | 'real';
  /**
   * The controllers of the manager: those of add-ons, so that only the work for add-ons is measured, or all. With all, the agents renew the
   * leases of their clusters during the whole run.
   */
  readonly controllers: 'add-ons' | 'all';
  /** False if all clients use plain HTTP. Such results are reported separately. */
  readonly tls: boolean;
  /** The time in milliseconds after which an agent of the swarm reports on a work. */
  readonly delayMs: number;
  /** The number of the swarm's connections to the hub. */
  readonly connections: number;
  /** The number of seconds between two renewals of a cluster's lease, in the scenario `idle` and with all controllers. */
  readonly renewSeconds: number;
  /** The share of the clusters that vanish, fail, lag or renew their certificates in the scenarios about such clusters. */
  readonly share: number;
  /** The folder in which the API server keeps the fleet for later runs; undefined if the fleet is removed at the end. */
  readonly storeFolder: string | undefined;
  /** Whether the ceiling is measured. */
  readonly ceiling: boolean;
  /** The scenarios to run. The install always runs, unless only `day` is named. */
  readonly scenarios: ReadonlySet<ScenarioName>;
  /** The scenarios that the user named; empty if none. */
  readonly named: readonly ScenarioName[];
}

export const USAGE = `npm run bench:fleet -- [options]
  --clusters N         clusters of the fleet (100)
  --addons M           add-ons on each cluster (2)
  --hub embedded|kube  the API server (embedded)
  --agents swarm|real  stand-ins for the agents, or the real ones, at most ${MAX_REAL_AGENTS} (swarm)
  --controllers add-ons|all
                       the controllers of the manager; with all, the agents renew their leases all the time (add-ons)
  --delay MS           how long an agent of the swarm takes to report (0)
  --connections N      HTTP/2 connections of the swarm (16)
  --renew SECONDS      how often each agent renews its lease in the scenario idle, and with --controllers all (60)
  --share PERCENT      the clusters that vanish, fail, lag or renew their certificates (10)
  --no-tls             plain HTTP/1.1 instead of HTTP/2 with client certificates; embedded only, reported apart
  --store FOLDER       keep the fleet in this folder, and use the fleet that an earlier run with the same --clusters and --addons
                       left there, without its install; embedded with stand-ins only
  --no-ceiling         do not repeat the writes of the install without a manager
  --scenarios a,b      only these, of: ${SCENARIO_NAMES.join(', ')}
                       (without it: all except ${[...ON_REQUEST].join(', ')})
or, with the results of earlier runs:
  --growth A,B         compare the results of A and B clusters; exit with 1 if requests per add-on differ by more than 2 %, or if the
                       processor time per add-on grows by more than 1.3 (with --addons and --hub)
  --page               write benchmarks/results/fleet.html and the tables of docs/performance.md again, from the results that git tracks`;

/** Parses the options of a run of `npm run bench:fleet`. */
export function fleetOptions(args: readonly string[]): FleetOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clusters: { type: 'string', default: '100' },
      addons: { type: 'string', default: '2' },
      hub: { type: 'string', default: 'embedded' },
      agents: { type: 'string', default: 'swarm' },
      controllers: { type: 'string', default: 'add-ons' },
      delay: { type: 'string', default: '0' },
      connections: { type: 'string', default: '16' },
      renew: { type: 'string', default: '60' },
      share: { type: 'string', default: '10' },
      store: { type: 'string' },
      'no-tls': { type: 'boolean', default: false },
      'no-ceiling': { type: 'boolean', default: false },
      scenarios: { type: 'string', default: '' },
    },
  });
  const hub = oneOf('hub', values.hub, ['embedded', 'kube']);
  const agents = oneOf('agents', values.agents, ['swarm', 'real']);
  const named = values.scenarios === '' ? [] : values.scenarios.split(',').map((text) => oneOf('scenarios', text, SCENARIO_NAMES));
  const standard = SCENARIO_NAMES.filter((name) => !ON_REQUEST.has(name) && !(agents === 'real' && SWARM_ONLY.has(name)));
  const options: FleetOptions = {
    clusters: wholeNumber('clusters', values.clusters),
    addOns: wholeNumber('addons', values.addons),
    hub,
    agents,
    controllers: oneOf('controllers', values.controllers, ['add-ons', 'all']),
    tls: !values['no-tls'],
    delayMs: wholeNumber('delay', values.delay),
    connections: wholeNumber('connections', values.connections),
    renewSeconds: wholeNumber('renew', values.renew),
    share: wholeNumber('share', values.share) / 100,
    storeFolder: values.store === undefined ? undefined : resolve(values.store),
    // The ceiling is not measured in a kept store, because its writes would stay there.
    ceiling: !values['no-ceiling'] && values.store === undefined,
    scenarios: new Set(named.length === 0 ? standard : named.every((name) => name === 'day') ? named : ['install', ...named]),
    named,
  };
  const problem = conflictIn(options);
  if (problem !== undefined) throw new Error(problem);
  return options;
}

/** Returns an error about options that cannot be combined, or undefined if there is none. */
function conflictIn({
  agents,
  controllers,
  hub,
  tls,
  clusters,
  renewSeconds,
  share,
  delayMs,
  scenarios,
  storeFolder,
}: FleetOptions): string | undefined {
  if (clusters < 1) return '--clusters is at least 1';
  if (renewSeconds < 1) return '--renew is at least 1';
  if (share <= 0 || share > 0.5) return '--share is a percentage from 1 to 50';
  if (hub === 'kube' && !tls) return '--no-tls needs --hub embedded: a kube-apiserver serves only TLS';
  if (hub === 'kube' && scenarios.has('certificates'))
    return '--scenarios certificates needs --hub embedded: a kube-apiserver alone signs no certificates';
  if (!tls && (scenarios.has('certificates') || scenarios.has('connections')))
    return '--scenarios certificates and connections need TLS: remove --no-tls';
  if (storeFolder !== undefined && (hub === 'kube' || agents === 'real')) return '--store needs --hub embedded and --agents swarm';
  if (agents === 'swarm') return undefined;
  if (clusters > MAX_REAL_AGENTS)
    return `--agents real runs at most ${MAX_REAL_AGENTS} clusters, not ${clusters}: use --agents swarm for more`;
  if (hub === 'kube') return '--agents real needs --hub embedded: a kube-apiserver alone signs no certificates';
  if (!tls) return '--agents real needs TLS, because the agents join with certificates: remove --no-tls';
  if (delayMs > 0) return '--delay is for --agents swarm: real agents take the time that they need';
  if (controllers === 'all') return '--controllers all is for --agents swarm: real agents need the controllers of registration anyway';
  const impossible = [...scenarios].filter((name) => SWARM_ONLY.has(name));
  return impossible.length === 0 ? undefined : `--scenarios ${impossible.join(',')} needs --agents swarm`;
}

function oneOf<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const known = names.find((name) => name === text);
  if (known === undefined) throw new Error(`--${option}: one of ${names.join(', ')}, not ${text}`);
  return known;
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} is a whole number, not ${text}`);
  return Number(text);
}

/** Returns the command line of this run. Options that have their defaults are omitted. */
export function commandOf(options: FleetOptions): string {
  const { clusters, addOns, hub, agents, controllers, delayMs, connections, renewSeconds, share, named } = options;
  return [
    `npm run bench:fleet -- --clusters ${clusters} --addons ${addOns} --hub ${hub}`,
    ...(agents === 'real' ? ['--agents real'] : []),
    ...(controllers === 'all' ? ['--controllers all'] : []),
    ...(delayMs > 0 ? [`--delay ${delayMs}`] : []),
    ...(connections === 16 ? [] : [`--connections ${connections}`]),
    ...(renewSeconds === 60 ? [] : [`--renew ${renewSeconds}`]),
    ...(share === 0.1 ? [] : [`--share ${share * 100}`]),
    ...(options.tls ? [] : ['--no-tls']),
    ...(options.ceiling ? [] : ['--no-ceiling']),
    ...(named.length === 0 ? [] : [`--scenarios ${named.join(',')}`]),
  ].join(' ');
}

/**
 * Returns the name of the result file without its extension. A run replaces the result of an earlier run that had the same fleet and
 * named the same scenarios.
 */
export function resultName({ clusters, addOns, hub, agents, controllers, tls, named }: FleetOptions): string {
  return [
    `fleet-${hub}-${clusters}x${addOns}`,
    ...(agents === 'real' ? ['real'] : []),
    ...(controllers === 'all' ? ['all-controllers'] : []),
    ...(tls ? [] : ['no-tls']),
    ...named,
  ].join('-');
}
