import { parseDuration } from '@outrigger/core';
import { createJoiningAgent, defaultAgentName } from '@outrigger/agent';
import { createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createPrometheusMetrics, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { usageError } from '../../failure.js';
import type { ConnectionOptions } from '../../fleet/connect.js';
import { serveHealth } from '../../server/serve-health.js';
import { untilAborted } from '../../server/until-aborted.js';
import { shrinkHeapWhenQuiet } from '../../server/quiet-heap.js';
import { preferSmallHeap } from '../../server/small-heap.js';
import { VERSION } from '../../version.js';
import { checkAnnotations, checkLabelName, checkLabels, checkObjectName } from '../checked-options.js';
import type { CommandContext } from '../context.js';
import type { AgentCommandOptions } from './command.js';

const SECONDS_PER_HOUR = 3_600;
const MS_PER_MINUTE = 60_000;

/**
 * Runs the agent until the process gets a signal to stop. The agent joins automatically as soon as its namespace contains a bootstrap
 * kubeconfig.
 */
export async function runAgent(context: CommandContext, options: ConnectionOptions & AgentCommandOptions): Promise<void> {
  const { env, signal } = context;
  checkOptions(options);
  preferSmallHeap();
  const runtime = createRealRuntime({ log: createLogger({ level: options.logLevel }) });
  shrinkHeapWhenQuiet(runtime);
  const { connection } = await loadConnection({
    env,
    signal,
    ...(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig }),
    ...(options.context === undefined ? {} : { context: options.context }),
  });
  const transport = createHttpTransport(connection, runtime, { protocol: 'h2', env });
  const metrics = createPrometheusMetrics();
  const cluster = createClient({ transport, runtime, userAgent: `outrigger-agent/${VERSION}`, metrics });
  try {
    // Fail at the start if the managed cluster does not respond. Without this request, the failure would appear only in the log.
    await cluster.raw({ method: 'GET', path: '/version', headers: { accept: 'application/json' } });
    const agent = createJoiningAgent({
      runtime,
      cluster,
      clusterName: options.clusterName,
      agentName: options.agentName ?? (await defaultAgentName(cluster, options.namespace, options.hubSecret)),
      namespace: options.namespace,
      roles: options.workOnly ? 'work' : options.registrationOnly ? 'registration' : 'all',
      secretNames: { bootstrap: options.bootstrapSecret, hub: options.hubSecret },
      annotations: options.clusterAnnotations,
      labels: options.clusterLabels,
      connectHub: (config) => createHttpTransport(config, runtime, { protocol: 'h2', env }),
      settings: {
        version: VERSION,
        certificateSeconds: options.certificateHours * SECONDS_PER_HOUR,
        driver: options.addonAuth,
        tokenSeconds: options.tokenHours * SECONDS_PER_HOUR,
        claimLimits: { maxCustom: options.maxClaims, reservedSuffixes: options.reservedClaimSuffixes },
        reportsProperties: options.clusterProperties,
      },
      work: {
        evictionGraceMs:
          options.evictionMinutes === undefined ? parseDuration(options.evictionGrace) : options.evictionMinutes * MS_PER_MINUTE,
        rawFeedbackJson: options.rawFeedbackJson,
      },
      metrics,
    });
    const isJoined = { name: 'joined', problem: () => (agent.phase === 'joined' ? undefined : `the agent is ${agent.phase}`) };
    const close = await serveHealth({ runtime, metrics, metricsPort: options.metricsPort, readiness: [isJoined] });
    runtime.log.info({ server: connection.server, cluster: options.clusterName, version: VERSION }, 'starting the agent');
    agent.start();
    await untilAborted(signal);
    await agent.stop();
    await close();
  } finally {
    await transport.close();
    runtime.scope.close();
  }
}

function checkOptions(options: AgentCommandOptions): void {
  const { bootstrapSecret, hubSecret } = options;
  checkLabelName('--cluster-name', options.clusterName);
  checkLabelName('--namespace', options.namespace);
  checkObjectName('--agent-name', options.agentName);
  checkObjectName('--bootstrap-secret', bootstrapSecret);
  checkObjectName('--hub-secret', hubSecret);
  if (bootstrapSecret === hubSecret)
    throw usageError(`--bootstrap-secret and --hub-secret are both ${hubSecret}: the agent would overwrite the kubeconfig it joins with`);
  checkLabels('--cluster-labels', options.clusterLabels);
  checkAnnotations('--cluster-annotations', options.clusterAnnotations);
}
