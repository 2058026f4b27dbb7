import { parseArgs } from 'node:util';

export interface FleetOptions {
  readonly clusters: number;
  readonly addOns: number;
  readonly hub: 'embedded' | 'kube';
  /** How long the agents take to report on a work. */
  readonly delayMs: number;
  /** Connections of the swarm to the hub. */
  readonly connections: number;
}

/** The options of `npm run bench:fleet`. */
export function fleetOptions(args: readonly string[]): FleetOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clusters: { type: 'string', default: '100' },
      addons: { type: 'string', default: '2' },
      hub: { type: 'string', default: 'embedded' },
      delay: { type: 'string', default: '0' },
      connections: { type: 'string', default: '16' },
    },
  });
  const { hub } = values;
  if (hub !== 'embedded' && hub !== 'kube') throw new Error(`--hub is embedded or kube, not ${hub}`);
  return {
    clusters: wholeNumber('clusters', values.clusters),
    addOns: wholeNumber('addons', values.addons),
    hub,
    delayMs: wholeNumber('delay', values.delay),
    connections: wholeNumber('connections', values.connections),
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} is a whole number, not ${text}`);
  return Number(text);
}
