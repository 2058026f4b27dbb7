import { Command, Option } from 'commander';
import { duration, label, pairs, texts, wholeNumber } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { LOG_LEVELS, type LogLevel } from '../hub/command.js';
import { connectionOf, withConnection } from '../options.js';

const HOURS_PER_YEAR = 365 * 24;

export interface AgentCommandOptions {
  readonly clusterName: string;
  readonly namespace: string;
  readonly agentName?: string;
  readonly metricsPort: number;
  readonly certificateHours: number;
  readonly addonAuth: 'csr' | 'token';
  readonly tokenHours: number;
  readonly maxClaims: number;
  readonly reservedClaimSuffixes: readonly string[];
  readonly clusterProperties: boolean;
  /** The eviction grace period: a duration in Go's format. */
  readonly evictionGrace: string;
  readonly evictionMinutes?: number;
  readonly workOnly: boolean;
  readonly registrationOnly: boolean;
  readonly bootstrapSecret: string;
  readonly hubSecret: string;
  readonly clusterAnnotations: Readonly<Record<string, string>>;
  readonly clusterLabels: Readonly<Record<string, string>>;
  readonly rawFeedbackJson: boolean;
  readonly logLevel: LogLevel;
}

export function agentCommand(context: CommandContext): Command {
  return withConnection(new Command('agent'))
    .summary('run the agent of a managed cluster')
    .description('run the agent of a managed cluster; --kubeconfig and --context name that cluster')
    .requiredOption('--cluster-name <name>', 'how the hub calls this cluster', label)
    .option('--namespace <name>', 'where the agent keeps its Secrets', label, 'open-cluster-management-agent')
    .option(
      '--agent-name <name>',
      "last part of the agent's user name on the hub (default: the one it joined under, else one made from the namespace)",
    )
    .option('--metrics-port <number>', 'port of /metrics, /healthz and /readyz; 0 for none', wholeNumber(0, 65_535), 8080)
    .option('--certificate-hours <number>', 'how long certificates are asked for', wholeNumber(1), 24)
    .addOption(new Option('--addon-auth <how>', 'how add-ons sign in to the hub').choices(['csr', 'token']).default('csr'))
    .option('--token-hours <number>', 'how long tokens of add-ons are asked for', wholeNumber(1), HOURS_PER_YEAR)
    .option('--max-claims <number>', 'how many claims are reported besides the reserved ones', wholeNumber(0), 20)
    .option(
      '--reserved-claim-suffixes <suffixes>',
      'claims with these name suffixes are always reported (repeat, or use commas)',
      texts,
      [],
    )
    .option('--cluster-properties', 'tell the ClusterProperties (about.k8s.io) of the cluster as claims too', false)
    .addOption(
      new Option('--eviction-grace <duration>', 'how long objects stay whose work is missing on the hub').argParser(duration).default('1h'),
    )
    .addOption(new Option('--eviction-minutes <number>', 'the same in minutes').argParser(wholeNumber(1)).hideHelp())
    .option('--work-only', 'only apply works; another agent with the same Secrets joins the hub and renews the credential', false)
    .addOption(new Option('--registration-only', 'do everything but apply works').default(false).conflicts('workOnly'))
    .option('--bootstrap-secret <name>', 'Secret with the kubeconfig to join the hub with', 'bootstrap-hub-kubeconfig')
    .option('--hub-secret <name>', 'Secret the agent keeps its own credential in', 'hub-kubeconfig-secret')
    .option(
      '--cluster-annotations <pairs>',
      'annotations agent.open-cluster-management.io/… to announce the cluster with, as key=value (repeat, or use commas)',
      pairs,
      {},
    )
    .option('--cluster-labels <pairs>', 'labels to announce the cluster with, where the hub allows it, as key=value', pairs, {})
    .option('--raw-feedback-json', 'report lists and objects as JSON where a feedback rule leads to one', false)
    .addOption(new Option('--log-level <level>', 'how much to log').choices(LOG_LEVELS).default('info'))
    .action(async (options: AgentCommandOptions, command: Command) => {
      const { runAgent } = await import('./run.js');
      await runAgent(context, { ...connectionOf(command), ...options });
    });
}
