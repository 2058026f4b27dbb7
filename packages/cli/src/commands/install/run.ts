import { AGENT_NAMESPACE, HUB_NAMESPACE } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { usageError } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { agentManifests } from '../../install/agent.js';
import { applyAll, toDocuments } from '../../install/apply.js';
import { clusteradmManifests } from '../../install/clusteradm.js';
import { HUB_ACCOUNT, hubDefinitions, hubManifests } from '../../install/hub.js';
import { requireOneManager } from '../../install/one-manager.js';
import { readUpstreamGrants, takenOver } from '../../install/take-over.js';
import type { CommandContext } from '../context.js';
import type { InstallOptions, Part } from './command.js';

export interface InstallRequest extends ConnectionOptions, InstallOptions {
  readonly part: Part;
}

export async function install(context: CommandContext, request: InstallRequest): Promise<void> {
  const { terminal } = context;
  if (request.part === 'agent' && (request.takeOver || request.clusteradm || request.tokenRegistration))
    throw usageError('--take-over, --clusteradm and --token-registration are for the hub');
  requireManagerNamespace(request);
  const objects = [...manifestsFor(request), ...(await takenOverRights(context, request))];
  if (!request.apply) return terminal.out(toDocuments(objects));
  const runtime = await context.runtime();
  await withHub(context, request, async (client) => {
    if (request.part === 'hub' && !request.crdsOnly) await requireOneManager(client, request.namespace ?? HUB_NAMESPACE);
    await applyAll(client, objects, runtime, (line) => terminal.out(`${line}\n`));
  });
}

/** Fails if a namespace is given for the agent, because the agent's namespace is fixed and the option would be ignored. */
export function requireManagerNamespace({ part, namespace }: { readonly part: Part; readonly namespace?: string }): void {
  if (part === 'agent' && namespace !== undefined)
    throw usageError(`--namespace is for the hub; the agent is in ${AGENT_NAMESPACE}: leave out --namespace`);
}

export function manifestsFor(request: InstallRequest): readonly KubeObject[] {
  const { part, image, namespace, replicas, clusterName, crdsOnly, tokenRegistration = false, clusteradm = false } = request;
  if (part === 'agent') {
    const all = agentManifests({ clusterName, image });
    return crdsOnly ? all.filter(({ kind }) => kind === 'CustomResourceDefinition') : all;
  }
  if (crdsOnly) return hubDefinitions();
  const rest = hubManifests({ image, replicas, hasTokens: tokenRegistration, ...(namespace === undefined ? {} : { namespace }) });
  return [...hubDefinitions(), ...rest, ...(clusteradm ? clusteradmManifests() : [])];
}

async function takenOverRights(context: CommandContext, request: InstallRequest): Promise<readonly KubeObject[]> {
  if (!request.takeOver || request.crdsOnly) return [];
  const granted = await withHub(context, request, readUpstreamGrants);
  const { objects, notes } = takenOver(granted, { namespace: request.namespace ?? HUB_NAMESPACE, name: HUB_ACCOUNT });
  for (const note of notes) context.terminal.note(`${note}\n`);
  return objects;
}
