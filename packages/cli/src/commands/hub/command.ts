import { Command, Option } from 'commander';
import { httpsUrl, label, pairs, repeated, wholeNumber } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface HubCommandOptions {
  readonly namespace?: string;
  readonly leaderElection: boolean;
  readonly metricsPort: number;
  readonly webhookPort: number;
  readonly webhookService: string;
  readonly webhookUrl?: string;
  readonly webhookClientCa?: string;
  readonly webhookClientName: readonly string[];
  readonly takeover?: true;
  readonly placement: boolean;
  readonly replicaSets: boolean;
  readonly registration: boolean;
  readonly agentLabelPrefix: readonly string[];
  readonly checkMissingExecutor: boolean;
  readonly maxCertificateHours: number;
  readonly autoAccept?: true;
  readonly bootstrapUser: readonly string[];
  readonly bootstrapGroup: readonly string[];
  readonly label: Readonly<Record<string, string>>;
  readonly removalDelay: number;
  readonly removalGuardCount: number;
  readonly removalGuardPercent: number;
  readonly metricsProvider: Readonly<Record<string, string>>;
  readonly metricsToken: Readonly<Record<string, string>>;
  readonly metricsCa: Readonly<Record<string, string>>;
  readonly notifyUrl: Readonly<Record<string, string>>;
  readonly notifyKey: Readonly<Record<string, string>>;
  readonly notifyCa: Readonly<Record<string, string>>;
  readonly logLevel: LogLevel;
}

export function hubCommand(context: CommandContext): Command {
  const command = withConnection(new Command('hub'))
    .summary('run the add-on manager')
    .description('run the add-on manager against a hub')
    .option(
      '--namespace <name>',
      "where the manager keeps its lease and contents; default: the pod's, else open-cluster-management-hub",
      label,
    )
    .option('--no-leader-election', 'act at once: only where no second manager can run')
    .option('--metrics-port <number>', 'port of /metrics, /healthz and /readyz; 0 for none', wholeNumber(0, 65_535), 8080);
  // The order of these calls determines the order of the options in the help and on the reference page.
  withWebhookOptions(command);
  withControllerOptions(command);
  withAgentOptions(command);
  command.option(
    '--label <key=value>',
    'label of the namespaces, accounts, roles and bindings the manager makes; repeat for more',
    pairs,
    {},
  );
  withRemovalOptions(command);
  withPolicyOptions(command);
  return command
    .addOption(new Option('--log-level <level>', 'how much to log').choices(LOG_LEVELS).default('info'))
    .action(async (options: HubCommandOptions) => {
      const { runHub } = await import('./run.js');
      await runHub(context, { ...connectionOf(command), ...options });
    });
}

/** Adds the options of the admission and conversion webhooks. */
function withWebhookOptions(command: Command): void {
  command
    .option('--webhook-port <number>', 'port of the admission and conversion webhooks; 0 for none', wholeNumber(0, 65_535), 0)
    .option('--webhook-service <name>', 'Service the API server reaches the webhooks by', 'outrigger-webhook')
    .option(
      '--webhook-url <https URL>',
      'how the API server reaches the webhooks where there is no Service: a manager outside of the cluster',
      httpsUrl,
    )
    .option('--webhook-client-ca <file>', 'answer only clients with a certificate of these authorities: the API server, where it has one')
    .option('--webhook-client-name <name>', 'and of these only the ones with this common name; repeat for more', repeated, []);
}

/** Adds the options for a hub on which other controllers run. */
function withControllerOptions(command: Command): void {
  command
    .option('--takeover', "work beside Open Cluster Management's add-on manager, on the same add-ons")
    .option('--no-placement', 'leave Placements to another controller')
    .option('--no-replica-sets', 'leave ManifestWorkReplicaSets to another controller')
    .option('--no-registration', 'leave the acceptance and health of clusters to another controller');
}

/** Adds the options about agents: their permissions, their certificates and their acceptance. */
function withAgentOptions(command: Command): void {
  command
    .option(
      '--agent-label-prefix <prefix>',
      'labels with this beginning may be written by the agents of clusters on their own ManagedCluster; repeat for more',
      repeated,
      [],
    )
    .option(
      '--check-missing-executor',
      'a work without an executor acts with all rights of the agent: its writer needs the right to execute as the agent',
      false,
    )
    .option(
      '--max-certificate-hours <hours>',
      'longest life of the certificates of clusters and add-ons; also the life of one that asks for none',
      wholeNumber(1, 8_760),
      24,
    )
    .option('--auto-accept', 'accept every cluster that asks to join, once; a later denial by a person stays')
    .option(
      '--bootstrap-user <user>',
      'approve certificate requests of clusters that this user makes, besides holders of join tokens; repeat for more',
      repeated,
      [],
    )
    .option('--bootstrap-group <group>', 'the same for the users of a group; repeat for more', repeated, []);
}

/** Adds the options for the removal of add-ons: its delay and the removal guard. */
function withRemovalOptions(command: Command): void {
  command
    .option('--removal-delay <seconds>', 'how long a cluster is out of every choice before its add-on goes', wholeNumber(0, 86_400), 10)
    .option(
      '--removal-guard-count <number>',
      'how many add-ons may go at once without a confirmation, unless they are all of two or more',
      wholeNumber(0, 1_000_000),
      5,
    )
    .option('--removal-guard-percent <percent>', 'or which share of those installed', wholeNumber(0, 100), 20);
}

/** Adds the options that define the metrics providers and notification addresses that RolloutPolicies may name. */
function withPolicyOptions(command: Command): void {
  command
    .option(
      '--metrics-provider <name=url>',
      'a Prometheus that analyses of RolloutPolicies may ask, by the name that they use; repeat for more',
      pairs,
      {},
    )
    .option(
      '--metrics-token <name=secret>',
      "the Secret in the manager's namespace whose key `token` is sent to that provider; repeat for more",
      pairs,
      {},
    )
    .option('--metrics-ca <name=file>', 'PEM file with the authorities of that provider; repeat for more', pairs, {})
    .option('--notify-url <name=url>', 'an address that `notify` of RolloutPolicies may name; repeat for more', pairs, {})
    .option(
      '--notify-key <name=secret>',
      "the Secret in the manager's namespace whose key `key` signs what is sent to that address; needed for each",
      pairs,
      {},
    )
    .option('--notify-ca <name=file>', 'PEM file with the authorities of that address; repeat for more', pairs, {});
}
