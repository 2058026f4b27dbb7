import {
  DECISION_GROUP_INDEX_LABEL,
  DECISION_GROUP_NAME_LABEL,
  type DecisionGroupStatus,
  PLACEMENT_LABEL,
  placementDecisionName,
} from '@outrigger/api';
import type { ClusterGroup } from './groups.js';

/** The maximum number of clusters in one PlacementDecision. */
export const PAGE_SIZE = 100;

/** The wanted state of a PlacementDecision. */
export interface Page {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly clusters: readonly string[];
}

/** Splits the groups into pages, numbered from 1 across all groups; a group without clusters has one empty page. */
export function pagesOf(placement: string, groups: readonly ClusterGroup[]): readonly Page[] {
  const pages: Page[] = [];
  for (const [index, { name, clusters }] of groups.entries()) {
    const labels = {
      [PLACEMENT_LABEL]: placement,
      [DECISION_GROUP_NAME_LABEL]: name,
      [DECISION_GROUP_INDEX_LABEL]: String(index),
    };
    for (let start = 0; start === 0 || start < clusters.length; start += PAGE_SIZE) {
      pages.push({ name: placementDecisionName(placement, pages.length + 1), labels, clusters: clusters.slice(start, start + PAGE_SIZE) });
    }
  }
  return pages;
}

/** The decision groups for the Placement's status. */
export function groupStatuses(groups: readonly ClusterGroup[], pages: readonly Page[]): readonly DecisionGroupStatus[] {
  return groups.map(({ name, clusters }, index) => ({
    decisionGroupIndex: index,
    decisionGroupName: name,
    decisions: pages.filter(({ labels }) => labels[DECISION_GROUP_INDEX_LABEL] === String(index)).map((page) => page.name),
    clusterCount: clusters.length,
  }));
}
