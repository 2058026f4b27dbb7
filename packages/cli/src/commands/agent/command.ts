import { Command, Option } from 'commander';
import { wholeNumber } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { LOG_LEVELS, type LogLevel } from '../hub/command.js';
import { connectionOf, withConnection } from '../options.js';

export interface AgentCommandOptions {
  readonly clusterName: string;
  readonly namespace: string;
  readonly agentName: string;
  readonly metricsPort: number;
  readonly certificateHours: number;
  readonly logLevel: LogLevel;
}

export function agentCommand(context: CommandContext): Command {
  return withConnection(new Command('agent'))
    .summary('run the agent of a managed cluster')
    .description('run the agent of a managed cluster; --kubeconfig and --context name that cluster')
    .requiredOption('--cluster-name <name>', 'how the hub calls this cluster')
    .option('--namespace <name>', 'where the agent keeps its Secrets and finds bootstrap-hub-kubeconfig', 'open-cluster-management-agent')
    .option('--agent-name <name>', "last part of the agent's user name on the hub", 'agent')
    .option('--metrics-port <number>', 'port of /metrics, /healthz and /readyz; 0 for none', wholeNumber(0, 65_535), 8080)
    .option('--certificate-hours <number>', 'how long certificates are asked for', wholeNumber(1), 24)
    .addOption(new Option('--log-level <level>', 'how much to log').choices(LOG_LEVELS).default('info'))
    .action(async (options: AgentCommandOptions, command: Command) => {
      const { runAgent } = await import('./run.js');
      await runAgent(context, { ...connectionOf(command), ...options });
    });
}
