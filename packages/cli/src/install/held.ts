import { AGENT_NAMESPACE, managedClusters } from '@outrigger/api';
import { type KubeObject, collect, countText, isApiError, keyOf, shell } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type Definition, storedKind } from './definitions/definition.js';

/** Objects of one kind that have finalizers. */
export interface Held {
  readonly definition: Definition;
  readonly objects: readonly KubeObject[];
}

/**
 * Finds the objects with finalizers among those that are deleted with the CRDs. The manager and the agent remove most finalizers, but are
 * deleted before the CRDs, so such objects and their CRDs would stay for ever.
 */
export async function findHeld(client: Client, definitions: readonly Definition[]): Promise<readonly Held[]> {
  const held: Held[] = [];
  for (const definition of definitions) {
    const objects = (await objectsOf(client, definition)).filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
    if (objects.length > 0) held.push({ definition, objects });
  }
  return held;
}

async function objectsOf(client: Client, definition: Definition): Promise<readonly KubeObject[]> {
  try {
    return await collect(client.listAll(storedKind(definition), { metadataOnly: true }));
  } catch (error) {
    if (isApiError(error, 'NotFound')) return [];
    throw error;
  }
}

/** Returns the message about objects with finalizers: their number per kind, and what the user must do first. */
export function heldText(part: 'hub' | 'agent', held: readonly Held[]): string {
  const counts = held.map(({ definition, objects }) => countText(objects.length, definition.spec.names.kind)).join(', ');
  const releasedBy = part === 'hub' ? 'the manager and the agents remove' : 'the agent removes';
  return `${counts} with finalizers, which only ${releasedBy}: their kinds would stay half deleted: ${firstStep(part, held)}`;
}

function firstStep(part: 'hub' | 'agent', held: readonly Held[]): string {
  const nameOfFirst = (one: Held | undefined): string => one?.objects[0]?.metadata.name ?? '';
  const clusters = held.find(({ definition }) => definition.spec.names.plural === managedClusters.plural);
  if (clusters) return `while a manager runs, detach the clusters first: \`${shell`outrigger detach ${nameOfFirst(clusters)} --yes`}\``;
  if (part === 'agent') return `while the agent in ${AGENT_NAMESPACE} runs, detach the cluster on the hub first`;
  const [first] = held;
  if (!first?.objects[0]) return 'delete them first';
  const { namespace, name } = keyOf(first.objects[0]);
  const { plural } = first.definition.spec.names;
  const command =
    namespace === undefined ? shell`kubectl delete ${plural} ${name}` : shell`kubectl delete ${plural} ${name} -n ${namespace}`;
  return `while a manager runs, delete them first: \`${command}\``;
}
