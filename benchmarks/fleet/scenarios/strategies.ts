import { placementDecisions, placements } from '@outrigger/api';
import { EVERYWHERE, type Fleet } from '../fleet.js';
import { untilAllQuiet } from './managers.js';
import { allOf, hasMoved } from './changes.js';
import type { Scenario } from './index.js';

const API_VERSION = 'cluster.open-cluster-management.io/v1beta1';
const PLACEMENT = { namespace: 'default', name: 'fleet' };
const GROUPS = 5;
/** Upstream's limit of clusters in one PlacementDecision. */
const PAGE = 100;

export const TEN_PERCENT = { type: 'Progressive', progressive: { maxConcurrency: '10%' } };

export const progressive: Scenario = async (fleet, row) => {
  await fleet.strategy({ ...EVERYWHERE, rolloutStrategy: TEN_PERCENT });
  await row({
    name: 'Progressive upgrade, 10 %',
    count: allOf(fleet),
    works: allOf(fleet),
    act: () => fleet.edit(),
    isDone: () => hasMoved(fleet),
  });
  await fleet.strategy(EVERYWHERE);
  await untilAllQuiet(fleet);
};

/**
 * An upgrade of five groups of clusters, one after the other. The benchmark writes the PlacementDecisions, because no placement controller
 * runs.
 */
export const groups: Scenario = async (fleet, row) => {
  await decide(fleet);
  const rolloutStrategy = { type: 'ProgressivePerGroup', progressivePerGroup: {} };
  await fleet.strategy({ type: 'Placements', labelSelector: null, rolloutStrategy: null, placements: [{ ...PLACEMENT, rolloutStrategy }] });
  await untilAllQuiet(fleet);
  await row({
    name: `upgrade of ${GROUPS} groups`,
    count: allOf(fleet),
    works: allOf(fleet),
    act: () => fleet.edit(),
    isDone: () => hasMoved(fleet),
  });
  await fleet.strategy(EVERYWHERE);
  await untilAllQuiet(fleet);
};

async function decide(fleet: Fleet): Promise<void> {
  const { client } = fleet;
  const total = fleet.clusterCount();
  await client.create(placements, { apiVersion: API_VERSION, kind: 'Placement', metadata: PLACEMENT, spec: {} });
  const decisionGroups = [];
  for (let index = 0; index < GROUPS; index++) {
    const clusters = Array.from({ length: total }, (_, number) => number).filter((number) => number % GROUPS === index);
    const pages = Array.from({ length: Math.ceil(clusters.length / PAGE) }, (_, page) => clusters.slice(page * PAGE, (page + 1) * PAGE));
    const decisionGroupName = `group${index}`;
    const decisions: string[] = [];
    for (const [page, members] of pages.entries()) {
      const key = { namespace: PLACEMENT.namespace, name: `${PLACEMENT.name}-${index}-${page}` };
      const labels = {
        'cluster.open-cluster-management.io/placement': PLACEMENT.name,
        'cluster.open-cluster-management.io/decision-group-index': String(index),
        'cluster.open-cluster-management.io/decision-group-name': decisionGroupName,
      };
      await client.create(placementDecisions, { apiVersion: API_VERSION, kind: 'PlacementDecision', metadata: { ...key, labels } });
      const patch = { status: { decisions: members.map((number) => ({ clusterName: `c${number}`, reason: '' })) } };
      await client.patch(placementDecisions, key, { type: 'merge', patch }, { subresource: 'status' });
      decisions.push(key.name);
    }
    decisionGroups.push({ decisionGroupIndex: index, decisionGroupName, decisions, clusterCount: clusters.length });
  }
  const patch = { status: { numberOfSelectedClusters: total, decisionGroups } };
  await client.patch(placements, PLACEMENT, { type: 'merge', patch }, { subresource: 'status' });
}
