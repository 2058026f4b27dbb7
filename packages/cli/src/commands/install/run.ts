import type { KubeObject } from '@outrigger/core';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { agentManifests } from '../../install/agent.js';
import { applyAll, toDocuments } from '../../install/apply.js';
import { hubDefinitions, hubManifests } from '../../install/hub.js';
import type { CommandContext } from '../context.js';
import type { InstallOptions, Part } from './command.js';

export interface InstallRequest extends ConnectionOptions, InstallOptions {
  readonly part: Part;
}

export async function install(context: CommandContext, request: InstallRequest): Promise<void> {
  const { terminal } = context;
  const objects = manifestsFor(request);
  if (!request.apply) return terminal.out(toDocuments(objects));
  const runtime = await context.runtime();
  await withHub(context, request, (client) => applyAll(client, objects, runtime, (line) => terminal.out(`${line}\n`)));
}

export function manifestsFor(request: InstallRequest): readonly KubeObject[] {
  const { part, image, namespace, replicas, clusterName, crdsOnly, tokenRegistration = false } = request;
  if (part === 'agent') {
    const all = agentManifests({ clusterName, image });
    return crdsOnly ? all.filter(({ kind }) => kind === 'CustomResourceDefinition') : all;
  }
  const rest = hubManifests({ image, replicas, hasTokens: tokenRegistration, ...(namespace === undefined ? {} : { namespace }) });
  return crdsOnly ? hubDefinitions() : [...hubDefinitions(), ...rest];
}
