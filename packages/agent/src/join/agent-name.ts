import { type Secret, secrets } from '@outrigger/api';
import { ifFound, decodeText } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import type { Client } from '@outrigger/kube';
import { DEFAULT_AGENT_NAMESPACE, HUB_SECRET_NAME } from './own-spec.js';

/**
 * Returns the default name of the agent whose Secrets are in `namespace`: the name with which it (or upstream's agent before it) has
 * joined, otherwise a name derived from the namespace. The name survives restarts and a change of hub, and is unique on the cluster. An
 * agent cleans up all objects that an agent with the same name left on the cluster.
 */
export async function defaultAgentName(cluster: Client, namespace: string, hubSecret: string = HUB_SECRET_NAME): Promise<string> {
  const joined = await ifFound(cluster.get<Secret>(secrets, { namespace, name: hubSecret }));
  const name = decodeText(joined?.data?.['agent-name'] ?? '');
  if (name !== '') return name;
  return namespace === DEFAULT_AGENT_NAMESPACE ? 'agent' : `agent-${sha256Hex(namespace).slice(0, 8)}`;
}
