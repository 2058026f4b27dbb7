import { defined, errorMessage, shell, validateDns1123Label } from '@outrigger/core';
import { readFile } from 'node:fs/promises';
import { AGENT_NAMESPACE } from '@outrigger/api';
import { kubeconfig } from '@outrigger/control-plane';
import { createJoinToken } from '@outrigger/hub';
import { loadConnection } from '@outrigger/kube/node';
import { CommandError, EXIT, usageError } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { agentManifests } from '../../install/agent.js';
import { applyAll, toDocuments } from '../../install/apply.js';
import { namespaceObject } from '../../install/workload.js';
import { bootstrapSecret } from '../../local/join.js';
import type { CommandContext } from '../context.js';
import type { JoinOptions } from './command.js';

const SECONDS_PER_MINUTE = 60;

export async function join(
  context: CommandContext,
  request: ConnectionOptions & JoinOptions & { readonly cluster: string },
): Promise<void> {
  const { terminal } = context;
  if (validateDns1123Label(request.cluster).length > 0)
    throw usageError(
      `"${request.cluster}" cannot be the name of a cluster: use at most 63 lower-case letters, digits and -, with a letter or digit first and last, such as edge-1`,
    );
  const target = clusterTarget(request);
  if (request.apply && !target) throw usageError('--apply needs --cluster-kubeconfig or --cluster-context: where is the cluster?');
  if (target && !request.apply) throw usageError('--cluster-kubeconfig and --cluster-context have no effect without --apply: add --apply');
  const runtime = await context.runtime();
  // Find the endpoint and the cluster before creating the token, because a later failure would leave a ManagedCluster without an agent on
  // the hub.
  if (target) await requireAnswer(context, target);
  const endpoint = await hubEndpoint(context, request);
  const hubConfig = await withHub(context, request, async (hub) => {
    const { token } = await createJoinToken({
      client: hub,
      runtime,
      cluster: request.cluster,
      accept: request.accept,
      expiresInSeconds: request.ttl * SECONDS_PER_MINUTE,
      readsRequests: request.upstreamAgent ?? false,
      reuseName: request.reuseName ?? false,
      again: request.again ?? false,
    });
    return kubeconfig({ ...endpoint, user: { name: 'join', token }, name: 'hub' });
  });
  const agent = request.upstreamAgent
    ? [namespaceObject(AGENT_NAMESPACE)]
    : agentManifests({ clusterName: request.cluster, image: request.image });
  const manifests = [...agent, bootstrapSecret(hubConfig)];
  if (!request.apply || !target) return terminal.out(toDocuments(manifests));
  await withHub(context, target, (cluster) => applyAll(cluster, manifests, runtime, (line) => terminal.out(`${line}\n`)));
  terminal.out(`${request.cluster} joins: \`${shell`outrigger get clusters ${request.cluster} --watch`}\` follows it\n`);
}

function clusterTarget({ clusterKubeconfig, clusterContext }: JoinOptions): ConnectionOptions | undefined {
  if (clusterKubeconfig === undefined && clusterContext === undefined) return undefined;
  return defined({ kubeconfig: clusterKubeconfig, context: clusterContext });
}

/** Fails if the cluster that the options name does not answer. */
async function requireAnswer(context: CommandContext, target: ConnectionOptions): Promise<void> {
  try {
    await withHub(context, target, (cluster) => cluster.raw({ method: 'GET', path: '/version', headers: { accept: 'application/json' } }));
  } catch (error) {
    if (context.signal.aborted) throw error;
    throw new CommandError(
      `the cluster cannot be reached, so nothing was created on the hub: ${errorMessage(error)}: check --cluster-context and --cluster-kubeconfig`,
      EXIT.unreachable,
      { cause: error },
    );
  }
}

/** Returns the URL at which the cluster reaches the hub, and the CA that signed the hub's certificate. */
async function hubEndpoint(
  context: CommandContext,
  request: ConnectionOptions & JoinOptions,
): Promise<{ server: string; authority: string }> {
  const { env, signal } = context;
  const { connection } = await loadConnection(defined({ env, signal, kubeconfig: request.kubeconfig, context: request.context }));
  const { ca, server } = connection;
  if (!ca)
    throw new CommandError(
      `${connection.origin ?? 'the kubeconfig'}: no certificate-authority: the cluster could not tell the hub from an impostor`,
      EXIT.unreachable,
    );
  return { server: request.hubServer ?? server, authority: 'data' in ca ? ca.data : await readFile(ca.file, 'utf8') };
}
