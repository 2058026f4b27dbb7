import { type PlacementDecision, placementDecisions, placements } from '@outrigger/api';
import { type JsonObject, type OwnerReference, apiVersionOf } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { DecisionPageRecord } from '../../resources/decision-pages.js';
import type { SchedulingPlacementRecord } from '../../resources/scheduling-placements.js';
import type { Page } from '@outrigger/rules/scheduling';

export function pageActionId(name: string): string {
  return `page/${name}`;
}

/** Creates a page without clusters, because a create request cannot set the status, which contains the clusters. */
export function createPage(placement: SchedulingPlacementRecord, { name, labels }: Page): ApiAction {
  const object: PlacementDecision = {
    apiVersion: apiVersionOf(placementDecisions),
    kind: placementDecisions.kind,
    metadata: { name, namespace: placement.key.namespace ?? '', labels, ownerReferences: [ownerOf(placement)] },
  };
  return { type: 'create', id: pageActionId(name), api: HUB, kind: placementDecisions, object };
}

export function writeClusters(page: DecisionPageRecord, clusters: readonly string[]): ApiAction {
  const decisions = clusters.map((clusterName) => ({ clusterName, reason: '' }));
  return {
    type: 'patch',
    id: pageActionId(page.key.name),
    api: HUB,
    kind: placementDecisions,
    key: page.key,
    subresource: 'status',
    patch: { status: { decisions } },
    precondition: { uid: page.uid, resourceVersion: page.resourceVersion },
  };
}

/** Corrects the labels and the owner of a page whose clusters are already correct. */
export function adoptPage(placement: SchedulingPlacementRecord, page: DecisionPageRecord, { labels }: Page): ApiAction {
  return {
    type: 'patch',
    id: pageActionId(page.key.name),
    api: HUB,
    kind: placementDecisions,
    key: page.key,
    patch: { metadata: { labels, ownerReferences: [ownerOf(placement) as unknown as JsonObject] } },
    precondition: { uid: page.uid, resourceVersion: page.resourceVersion },
  };
}

export function deletePage(page: DecisionPageRecord): ApiAction {
  return {
    type: 'delete',
    id: pageActionId(page.key.name),
    api: HUB,
    kind: placementDecisions,
    key: page.key,
    precondition: { uid: page.uid },
    accept: ['NotFound'],
  };
}

export function writeStatus(placement: SchedulingPlacementRecord, status: JsonObject): ApiAction {
  return {
    type: 'patch',
    id: 'status',
    api: HUB,
    kind: placements,
    key: placement.key,
    subresource: 'status',
    patch: { status },
    precondition: { uid: placement.uid, resourceVersion: placement.resourceVersion },
  };
}

function ownerOf({ key, uid }: SchedulingPlacementRecord): OwnerReference {
  return { apiVersion: apiVersionOf(placements), kind: placements.kind, name: key.name, uid, controller: true, blockOwnerDeletion: true };
}
