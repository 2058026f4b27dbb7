import { Command } from 'commander';
import { pairs, repeated, wholeNumber } from '../arguments.js';
import type { CommandContext } from '../context.js';

export interface UpOptions {
  readonly dataDir: string;
  readonly clusters: number;
  readonly port: number;
  readonly metricsPort: number;
  readonly consolePort: number;
  readonly clusterPorts: number;
  readonly detach?: true;
  readonly reset?: true;
  readonly samples: boolean;
  readonly simulateHubWorkloads?: true;
  readonly allowWebhookAddress: readonly string[];
  readonly metricsProvider: Readonly<Record<string, string>>;
  readonly notifyUrl: Readonly<Record<string, string>>;
  readonly notifyKey: Readonly<Record<string, string>>;
}

/** `outrigger up` runs a hub, simulated clusters and sample add-ons in one process. */
export function upCommand(context: CommandContext): Command {
  return new Command('up')
    .summary('run a hub with simulated clusters on this machine')
    .description('run a hub with simulated clusters and sample add-ons on this machine')
    .option('--data-dir <folder>', 'where everything is kept; the next start goes on from there', '.outrigger')
    .option('--clusters <number>', 'how many simulated clusters', wholeNumber(0), 3)
    .option('--port <number>', 'port of the hub; 0 for any free one', wholeNumber(0, 65_535), 0)
    .option('--metrics-port <number>', "port of the manager's /metrics on 127.0.0.1; 0 for any free one", wholeNumber(0, 65_535), 0)
    .option('--console-port <number>', 'port of the console on 127.0.0.1; 0 for any free one', wholeNumber(0, 65_535), 0)
    .option('--cluster-ports <number>', 'how many clusters get a port of their own', wholeNumber(0), 3)
    .option('--no-samples', 'start with no add-ons')
    .option('--simulate-hub-workloads', 'report workloads on the hub as if they ran, as on the simulated clusters')
    .option(
      '--allow-webhook-address <range>',
      'addresses at which the hub may call webhooks although they reach this machine, such as 127.0.0.0/8; may be repeated',
      repeated,
      [],
    )
    .option(
      '--metrics-provider <name=url>',
      'a Prometheus that analyses of RolloutPolicies may ask, by the name that they use; repeat for more',
      pairs,
      {},
    )
    .option('--notify-url <name=url>', 'an address that `notify` of RolloutPolicies may name; repeat for more', pairs, {})
    .option(
      '--notify-key <name=secret>',
      'the Secret in open-cluster-management-hub whose key `key` signs what is sent to that address; needed for each',
      pairs,
      {},
    )
    .option('--reset', 'start over: remove what earlier starts kept in the data folder')
    .option('--detach', 'return when all is ready, and go on in the background')
    .action(async (options: UpOptions) => {
      const { up } = await import('./run.js');
      await up(context, options);
    });
}
