import type { ObjectKey } from '@outrigger/core';
import type { CacheView, Change } from '@outrigger/kube';
import type {
  AddOnProjection,
  ClusterProjection,
  DeclarationProjection,
  RolloutProjection,
  TemplateProjection,
} from '@outrigger/rules/observed';
import type { NamespaceProjection } from '../../resources/cluster-rights.js';
import { type RequestProjection, requests } from './request.js';

/** Each function returns the open requests to wake for a change. The functions use indexes. */

/**
 * Wakes the request itself, even if it is finished, because the add-on may still report a problem with it. If no certificate of the request
 * has to be recorded any more, also wakes the cluster's other requests, which may have waited for the identity record.
 */
export function wakeByRequest({ before, after }: Change<RequestProjection>, view: CacheView): ObjectKey[] {
  const wanted = [after, before].find((request) => request && request.step !== 'done');
  const isOver = (before?.step === 'approved' || before?.step === 'issued') && (!after || after.step === 'done');
  const waiting = isOver ? openRequests(view, 'cluster', before.clusterName) : [];
  return [...(wanted ? [wanted.key] : []), ...waiting];
}

export function wakeByAddOn({ before, after }: Change<AddOnProjection>, view: CacheView): ObjectKey[] {
  const key = (after ?? before)?.key;
  return key ? openRequests(view, 'clusterAddOn', `${key.namespace ?? ''}/${key.name}`) : [];
}

export function wakeByCluster({ before, after }: Change<ClusterProjection>, view: CacheView): ObjectKey[] {
  const isSame = before && after && before.isAccepted === after.isAccepted && before.isDeleting === after.isDeleting;
  if (isSame && before.agentKey === after.agentKey && before.hasJoined === after.hasJoined) return [];
  return openRequests(view, 'cluster', (after ?? before)?.key.name ?? '');
}

/** Wakes the requests of a cluster when the identity record of its agent changes, or when the Namespace that stores it is created. */
export function wakeByNamespace({ before, after }: Change<NamespaceProjection>, view: CacheView): ObjectKey[] {
  if (!after || (before && before.identity === after.identity && before.isDeleting === after.isDeleting)) return [];
  return [...openRequests(view, 'cluster', after.key.name), ...openRequests(view, 'issued', after.key.name)];
}

export function wakeByDeclaration({ before, after }: Change<DeclarationProjection>, view: CacheView): ObjectKey[] {
  return openRequests(view, 'addOn', (after ?? before)?.key.name ?? '');
}

export function wakeByRollout({ before, after }: Change<RolloutProjection>, view: CacheView): ObjectKey[] {
  return openRequests(view, 'addOn', (after ?? before)?.key.name ?? '');
}

export function wakeByTemplate({ before, after }: Change<TemplateProjection>, view: CacheView): ObjectKey[] {
  const names = new Set([before?.addOnName, after?.addOnName].filter((name) => name !== undefined));
  return [...names].flatMap((name) => openRequests(view, 'addOn', name));
}

function openRequests(view: CacheView, index: 'cluster' | 'addOn' | 'clusterAddOn' | 'issued', value: string): ObjectKey[] {
  return view.byIndex(requests, index, value).map(({ key }) => key);
}
