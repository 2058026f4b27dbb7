import { type ClusterManagementAddOn, DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION, type ManagedCluster } from '@outrigger/api';
import { findCondition, shell, nameOf } from '@outrigger/core';
import { type Link, note, stop } from '../explanation/chain.js';
import type { Selection } from '../strategy/install-strategy.js';
import { strategyOf } from '../strategy/strategies.js';
import { type Snapshot, projectedCluster, snapshotLookups } from './snapshot.js';

/** Explains whether and why the install strategy puts the add-on on this cluster. */
export function explainSelection(snapshot: Snapshot, managementAddOn: ClusterManagementAddOn, cluster: ManagedCluster): Selection {
  const projection = projectedCluster(cluster);
  const { name } = projection.key;
  if (projection.isInstallDisabled) {
    const hint = shell`kubectl annotate managedcluster ${name} ${DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION}-`;
    return {
      isSelected: false,
      links: [stop(`cluster ${name} takes no automatic installations (annotation ${DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION})`, hint)],
    };
  }
  const { installStrategy = {} } = managementAddOn.spec;
  const selection = strategyOf(installStrategy).explain(installStrategy, nameOf(managementAddOn), projection, snapshotLookups(snapshot));
  if (selection.isSelected || installStrategy.type !== 'Placements') return selection;
  return { ...selection, links: [...selection.links, ...unsatisfiedPlacements(snapshot, managementAddOn)] };
}

/** The reasons that the Placements report for selecting too few clusters. */
function unsatisfied({ placements }: Snapshot, refs: readonly { readonly namespace: string; readonly name: string }[]): readonly Link[] {
  return refs.flatMap(({ namespace, name }) => {
    const placement = placements.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    const satisfied = findCondition(placement?.status?.conditions, 'PlacementSatisfied');
    if (satisfied?.status !== 'False') return [];
    const text = `Placement ${namespace}/${name}: ${satisfied.message}`;
    const hint = shell`kubectl describe placement ${name} -n ${namespace}`;
    return [CANNOT_SELECT.includes(satisfied.reason) ? stop(text, hint) : note(text, hint)];
  });
}

/** The reasons why a Placement selects no cluster, whatever labels the clusters have. */
const CANNOT_SELECT: readonly string[] = ['NoManagedClusterSetBindings', 'NoIntersection', 'AllManagedClusterSetsEmpty'];

/** Returns the reasons that the strategy's Placements report for selecting too few clusters. */
export function unsatisfiedPlacements(snapshot: Snapshot, { spec }: ClusterManagementAddOn): readonly Link[] {
  const { type, placements = [] } = spec.installStrategy ?? {};
  return type === 'Placements' ? unsatisfied(snapshot, placements) : [];
}
