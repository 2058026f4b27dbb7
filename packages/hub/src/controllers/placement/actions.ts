import { type PlacementDecision, placementDecisions, placements } from '@outrigger/api';
import { type JsonObject, type OwnerReference, apiVersionOf } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { DecisionPageProjection } from '../../resources/decision-pages.js';
import type { SchedulingPlacementProjection } from '../../resources/scheduling-placements.js';
import type { Page } from '@outrigger/rules/scheduling';
import { deleteObserved, patchObserved, patchObservedStatus } from '../observed-actions.js';

export function pageActionId(name: string): string {
  return `page/${name}`;
}

/** Creates a PlacementDecision without clusters, because a create request cannot set the status, which contains the clusters. */
export function createPage(placement: SchedulingPlacementProjection, { name, labels }: Page): ApiAction {
  const object: PlacementDecision = {
    apiVersion: apiVersionOf(placementDecisions),
    kind: placementDecisions.kind,
    metadata: { name, namespace: placement.key.namespace ?? '', labels, ownerReferences: [ownerOf(placement)] },
  };
  return { type: 'create', id: pageActionId(name), api: HUB, kind: placementDecisions, object };
}

export function writeClusters(page: DecisionPageProjection, clusters: readonly string[]): ApiAction {
  const decisions = clusters.map((clusterName) => ({ clusterName, reason: '' }));
  return patchObservedStatus(page, placementDecisions, pageActionId(page.key.name), { decisions });
}

/** Corrects the labels and the owner of a PlacementDecision whose clusters are already correct. */
export function adoptPage(placement: SchedulingPlacementProjection, page: DecisionPageProjection, { labels }: Page): ApiAction {
  const metadata = { labels, ownerReferences: [ownerOf(placement)] };
  return patchObserved(page, placementDecisions, pageActionId(page.key.name), { metadata });
}

export function deletePage(page: DecisionPageProjection): ApiAction {
  return deleteObserved(page, placementDecisions, pageActionId(page.key.name));
}

export function writeStatus(placement: SchedulingPlacementProjection, status: JsonObject): ApiAction {
  return patchObservedStatus(placement, placements, 'status', status);
}

function ownerOf({ key, uid }: SchedulingPlacementProjection): OwnerReference {
  return { apiVersion: apiVersionOf(placements), kind: placements.kind, name: key.name, uid, controller: true, blockOwnerDeletion: true };
}
