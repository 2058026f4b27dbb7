import type { Kind, KubeObject, OwnerReference } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import { apiVersionOf } from '@outrigger/core';
import { daemonSets, pods, replicaSets, statefulSets } from '../controllers/kinds.js';
import { BEHAVIOR_ANNOTATION, type Behavior } from './behavior.js';
import { nodeName } from './nodes.js';
import { comparableTemplate, HASH_LABEL } from './template.js';
import type { Workload } from './workload-status.js';

/** Returns the ReplicaSet for a Deployment's current template. */
export function replicaSetOf(deployment: Workload, replicas: number): Workload {
  const { name = '', namespace = '' } = deployment.metadata;
  const hash = templateHash(deployment);
  const labels = { ...deployment.spec?.template?.metadata?.labels, [HASH_LABEL]: hash };
  return {
    apiVersion: apiVersionOf(replicaSets),
    kind: 'ReplicaSet',
    metadata: { name: `${name}-${hash}`, namespace, labels, ownerReferences: [ownerReference(deployment)] },
    spec: {
      replicas,
      selector: { matchLabels: { ...deployment.spec?.selector?.matchLabels, [HASH_LABEL]: hash } },
      template: { ...deployment.spec?.template, metadata: { ...deployment.spec?.template?.metadata, labels } },
    },
  };
}

/** Returns the pods of a ReplicaSet, StatefulSet, DaemonSet or Job, spread over the nodes. */
export function podsOf(parent: Workload, kind: Kind, count: number, options: { nodeCount: number; behavior: Behavior }): KubeObject[] {
  const { name = '', namespace = '', uid = '' } = parent.metadata;
  const template = parent.spec?.template;
  const isOrdinal = kind.kind === statefulSets.kind;
  return Array.from({ length: count }, (_, index) => {
    const suffix = isOrdinal ? String(index) : shortHash(`${uid}/${template ? templateHash(parent) : ''}/${index}`, 5);
    const annotations = {
      ...template?.metadata?.annotations,
      ...(options.behavior === 'ready' ? {} : { [BEHAVIOR_ANNOTATION]: options.behavior }),
    };
    const node = kind.kind === daemonSets.kind ? index : index % Math.max(1, options.nodeCount);
    return {
      apiVersion: apiVersionOf(pods),
      kind: 'Pod',
      metadata: {
        name: `${name}-${suffix}`,
        namespace,
        labels: template?.metadata?.labels ?? {},
        annotations,
        ownerReferences: [ownerReference(parent)],
      },
      spec: { ...template?.spec, nodeName: nodeName(node) },
    } as KubeObject;
  });
}

function templateHash({ spec }: Workload): string {
  return shortHash(comparableTemplate(spec?.template), 10);
}

/** Letters and digits for generated names, chosen so that they form no words. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

function shortHash(text: string, length: number): string {
  const digest = sha256Hex(text);
  return Array.from({ length }, (_, i) => SAFE[Number.parseInt(digest.slice(2 * i, 2 * i + 2), 16) % SAFE.length]).join('');
}

function ownerReference({ apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
