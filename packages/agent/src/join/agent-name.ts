import { type Secret, secrets } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import type { Client } from '@outrigger/kube';
import { decodeText } from '../base64.js';
import { DEFAULT_AGENT_NAMESPACE, HUB_SECRET_NAME } from './own-spec.js';

/**
 * The name of the agent that keeps its Secrets in `namespace`, where no option gives one: the one it (or upstream's agent before it) has joined
 * under, else one made from the namespace. It outlives restarts and a change of hubs, and no other agent on the cluster has it: what an agent
 * of that name left on the cluster is its own to clean up.
 */
export async function defaultAgentName(cluster: Client, namespace: string, hubSecret: string = HUB_SECRET_NAME): Promise<string> {
  const joined = await cluster.get<Secret>(secrets, { namespace, name: hubSecret }).catch((error: unknown) => {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  });
  const name = decodeText(joined?.data?.['agent-name'] ?? '');
  if (name !== '') return name;
  return namespace === DEFAULT_AGENT_NAMESPACE ? 'agent' : `agent-${sha256Hex(namespace).slice(0, 8)}`;
}
