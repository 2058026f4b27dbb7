import { type Secret, secrets } from '@outrigger/api';
import { ifFound, decodeText } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import type { Client } from '@outrigger/kube';
import { DEFAULT_AGENT_NAMESPACE, HUB_SECRET_NAME } from './own-spec.js';

/**
 * Returns the default name of the agent whose Secrets are in `namespace`. This is the name with which the agent (or upstream's agent before
 * it) has joined or, before the first join, a name derived from the namespace. The name survives restarts and a change of hub. It is unique
 * on the cluster, because an agent cleans up all objects that an agent with the same name left there.
 */
export async function defaultAgentName(cluster: Client, namespace: string, hubSecret: string = HUB_SECRET_NAME): Promise<string> {
  const joined = await ifFound(cluster.get<Secret>(secrets, { namespace, name: hubSecret }));
  const name = decodeText(joined?.data?.['agent-name'] ?? '');
  if (name !== '') return name;
  return namespace === DEFAULT_AGENT_NAMESPACE ? 'agent' : `agent-${sha256Hex(namespace).slice(0, 8)}`;
}
