import { hostname } from 'node:os';
import { ADDON_GROUP, HUB_NAMESPACE, UNREADABLE_KINDS_ANNOTATION, namespaces } from '@outrigger/api';
import { isApiError, type Metrics, type Runtime, shell } from '@outrigger/core';
import { type HubOptions, ServerClock, createHub } from '@outrigger/hub';
import { type Client, type Leader, type Manager, createClient, createLeaseLeader, fenceTransport, unreadableKinds } from '@outrigger/kube';
import { createHttpTransport, createLogger, createPrometheusMetrics, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { CommandError, EXIT } from '../../failure.js';
import type { ConnectionOptions } from '../../fleet/connect.js';
import { ensure, find } from '../../fleet/objects.js';
import { LEADER_LEASE_NAME } from '../../install/rights.js';
import { shrinkHeapWhenQuiet } from '../../server/quiet-heap.js';
import { limitYoungGeneration } from '../../server/young-generation.js';
import { cachesComplete, serveHealth } from '../../server/serve-health.js';
import { untilAborted } from '../../server/until-aborted.js';
import { type Upstream, conflictWithUpstream, detectUpstream } from '../../upstream/detect.js';
import { VERSION } from '../../version.js';
import { checkLabelName, checkLabels, checkNotEmpty } from '../checked-options.js';
import type { CommandContext } from '../context.js';
import type { HubCommandOptions } from './command.js';
import { metricsProviders } from './metrics-providers.js';
import { notificationTargets } from './notification-targets.js';
import { startWebhooks } from './webhooks.js';

const USER_AGENT = `outrigger-hub/${VERSION}`;

/** Runs the manager until the process gets a signal to stop. Errors in the connection to the hub are reported before the manager starts. */
export async function runHub(context: CommandContext, options: ConnectionOptions & HubCommandOptions): Promise<void> {
  checkOptions(options);
  const connectProviders = await metricsProviders(options);
  const connectTargets = await notificationTargets(options);
  const runtime = createRealRuntime({ log: createLogger({ level: options.logLevel }) });
  shrinkHeapWhenQuiet(runtime);
  limitYoungGeneration(runtime);
  const { connection, namespace: own } = await loadConnection({ env: context.env, signal: context.signal, ...connectionFor(options) });
  const namespace = options.namespace ?? own ?? HUB_NAMESPACE;
  const http = createHttpTransport(connection, runtime, { env: context.env });
  const serverClock = new ServerClock(runtime.clock);
  const transport = serverClock.observe(http);
  const metrics = createPrometheusMetrics();
  const bare = createClient({ transport, runtime, userAgent: USER_AGENT, metrics, fieldManager: 'outrigger-hub' });
  const stops: (() => Promise<void>)[] = [() => http.close()];
  try {
    const upstream = await checkHub(bare, options);
    // The namespace is needed even without leader election, because the manager stores content in it.
    await ensureNamespace(bare, namespace);
    let manager: Manager | undefined = undefined;
    const leader = options.leaderElection
      ? createLeaseLeader({
          runtime,
          client: bare,
          lease: { namespace, name: LEADER_LEASE_NAME },
          name: hostname(),
          annotations: () => ({ [UNREADABLE_KINDS_ANNOTATION]: unreadableText(manager) }),
        })
      : undefined;
    const client = leader ? createClient({ transport: fenceTransport(transport, leader), runtime, userAgent: USER_AGENT, metrics }) : bare;
    manager = createHub({
      ...hubOptions({ runtime, client, namespace, metrics, leader, options, upstream }),
      isClockTrusted: serverClock.isTrusted,
      metricsProviders: connectProviders({ client, namespace }),
      notificationTargets: connectTargets({ client, namespace }, runtime.clock),
    });
    stops.push(() => manager.stop());
    stops.push(await serveHealth({ runtime, metrics, metricsPort: options.metricsPort, readiness: [cachesComplete(() => manager)] }));
    if (options.webhookPort > 0) stops.push(await startWebhooks({ runtime, client: bare, manager, namespace, options }));
    runtime.log.info({ server: connection.server, namespace, version: VERSION, upstream }, 'starting the add-on manager');
    await manager.start();
    await untilAborted(context.signal);
    runtime.log.info({}, 'stopping the add-on manager');
  } finally {
    for (const stop of stops.reverse()) await stop();
    runtime.scope.close();
  }
}

function checkOptions({ namespace, webhookService, label, bootstrapUser, bootstrapGroup, agentLabelPrefix }: HubCommandOptions): void {
  checkLabelName('--namespace', namespace);
  checkLabelName('--webhook-service', webhookService);
  checkLabels('--label', label);
  checkNotEmpty('--bootstrap-user', bootstrapUser);
  checkNotEmpty('--bootstrap-group', bootstrapGroup);
  checkNotEmpty('--agent-label-prefix', agentLabelPrefix);
}

function connectionFor({ kubeconfig, context }: ConnectionOptions): ConnectionOptions {
  return { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
}

/** Fails if the hub does not respond or serves no kind of the add-on API, or if another manager manages the same add-ons. */
async function checkHub(hub: Client, options: HubCommandOptions): Promise<Upstream> {
  if (!(await hub.discovery.resources()).some(({ group }) => group === ADDON_GROUP)) {
    throw new CommandError('this hub does not serve the add-on API: `outrigger install hub --apply` adds it', EXIT.failed);
  }
  const upstream = await detectUpstream(hub).catch((error: unknown): Upstream => {
    // Start even if the manager may not list Deployments, although it then cannot detect another manager.
    if (isApiError(error, 'Forbidden')) return {};
    throw error;
  });
  const conflict = options.takeover ? undefined : await conflictWithUpstream(hub, upstream);
  if (conflict !== undefined) throw new CommandError(conflict, EXIT.failed);
  return upstream;
}

/** Returns the value of the Lease annotation from which `outrigger doctor` reads the kinds that the manager cannot read. */
function unreadableText(manager: Manager | undefined): string | undefined {
  const sentences = unreadableKinds(manager?.troubles ?? []);
  return sentences.length === 0 ? undefined : JSON.stringify(sentences);
}

async function ensureNamespace(hub: Client, name: string): Promise<void> {
  try {
    await ensure(hub, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  } catch (error) {
    if (!isApiError(error, 'Forbidden')) throw error;
    if (await find(hub, namespaces, { name })) return;
    throw new CommandError(
      `namespace ${name} does not exist, and this account may not create it: \`${shell`kubectl create namespace ${name}`}\``,
      EXIT.failed,
    );
  }
}

interface Parts {
  readonly runtime: Runtime;
  readonly client: Client;
  readonly namespace: string;
  readonly metrics: Metrics;
  readonly leader: Leader | undefined;
  readonly options: HubCommandOptions;
  readonly upstream: Upstream;
}

function hubOptions({ runtime, client, namespace, metrics, leader, options, upstream }: Parts): HubOptions {
  const hasPlacement = options.placement && upstream.placement === undefined;
  const hasReplicaSets = options.replicaSets && upstream.work === undefined;
  const hasRegistration = options.registration && upstream.registration === undefined;
  return {
    runtime,
    client,
    namespace,
    metrics,
    maxCertificateSeconds: options.maxCertificateHours * 3600,
    removal: {
      afterMs: options.removalDelay * 1000,
      unguardedCount: options.removalGuardCount,
      unguardedShare: options.removalGuardPercent / 100,
    },
    labels: options.label,
    bootstrap: { users: options.bootstrapUser, groups: options.bootstrapGroup },
    ...(leader ? { leader } : {}),
    ...(hasPlacement ? {} : { placement: false }),
    ...(hasReplicaSets ? {} : { replicaSets: false }),
    clusters: hasRegistration && { autoAccept: options.autoAccept ?? false, namespaceLabels: options.label },
  };
}
