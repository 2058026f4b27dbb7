import { BOOTSTRAP_SECRET_NAME, HUB_SECRET_NAME } from '@outrigger/agent';
import { AGENT_NAMESPACE } from '@outrigger/api';
import { type KubeObject, apiVersionOf } from '@outrigger/core';
import { WEBHOOK_CONFIGURATION, mutatingWebhookConfigurations, validatingWebhookConfigurations, withdrawConversion } from '@outrigger/hub';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { deleteAll } from '../../install/apply.js';
import type { CommandContext } from '../context.js';
import { INSTALL_DEFAULTS, type Part } from '../install/command.js';
import { manifestsFor } from '../install/run.js';
import type { UninstallOptions } from './command.js';

interface UninstallRequest extends ConnectionOptions, UninstallOptions {
  readonly part: Part;
}

export async function uninstall(context: CommandContext, request: UninstallRequest): Promise<void> {
  const { terminal } = context;
  const objects = removable(request);
  if (!request.apply) {
    for (const { kind, metadata } of [...objects].reverse()) terminal.out(`${kind} ${metadata.name}\n`);
    return terminal.note('would be removed; --apply does it\n');
  }
  await withHub(context, request, async (client) => {
    const withdrawn = request.part === 'hub' ? await withdrawConversion(client) : [];
    for (const name of withdrawn) terminal.out(`CustomResourceDefinition ${name}: no longer converted, v1beta1 no longer served\n`);
    await deleteAll(client, objects, (line) => terminal.out(`${line}\n`));
  });
}

/** What holds add-ons or what they need to go on stays unless everything is to go. */
const KEPT: readonly string[] = ['CustomResourceDefinition', 'Namespace'];

function removable(request: UninstallRequest): readonly KubeObject[] {
  // Which objects there are depends on the namespace alone; image and number change what is in them.
  const installed = manifestsFor({ ...INSTALL_DEFAULTS, ...request }).filter(({ kind }) => request.deleteKinds || !KEPT.includes(kind));
  return [...installed, ...MADE_LATER[request.part]];
}

/** What `install` did not apply but the running program made, and nobody else would remove. Last, so that it goes first. */
const MADE_LATER: Readonly<Record<Part, readonly KubeObject[]>> = {
  // An API server that goes on asking a webhook nobody serves refuses templates.
  hub: [validatingWebhookConfigurations, mutatingWebhookConfigurations].map((kind) => ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: WEBHOOK_CONFIGURATION },
  })),
  agent: [BOOTSTRAP_SECRET_NAME, HUB_SECRET_NAME].map((name) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: AGENT_NAMESPACE },
  })),
};
