import { findCondition } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import { degradedCondition } from '@outrigger/rules/dependencies';
import { deployWorks } from '@outrigger/rules/plan';
import type { AddOnDecision } from './actions.js';
import { NO_WRITES, conclude } from './conclude.js';
import { missingDependencies } from './missing-dependencies.js';
import type { Installed } from './state.js';
import { availableCondition, unreachableCondition } from './steps/health.js';
import { applyConditions } from './steps/status.js';
import { planToken } from './steps/token.js';

/**
 * Handles an add-on that leaves the default entry, until the record lists it in its new entry. This may take long, for example while
 * content cannot be stored. The add-on's content is not known meanwhile, so its works, references and permissions stay unchanged. The pass
 * still updates its health and dependencies, and deletes its ServiceAccount if the cluster is denied.
 */
export function decideLeaving(state: Installed, now: Now): AddOnDecision {
  const { clusterAddOn, cluster } = state;
  const { conditions } = clusterAddOn.status;
  const existing = findCondition(conditions, 'Degraded');
  const degraded = degradedCondition(missingDependencies(state), existing);
  const health = { degraded: degraded ?? existing, existing: findCondition(conditions, 'Available') };
  const available = state.catalog.isFromTemplates
    ? availableCondition(clusterAddOn.key.name, cluster, health, { type: 'hold' }, deployWorks(state))
    : unreachableCondition(cluster);
  const token = cluster.isAccepted ? undefined : planToken(state, false);
  const changes = [degraded, available, token?.condition].filter((change) => change !== undefined);
  const next = { ...clusterAddOn.status, conditions: applyConditions(clusterAddOn, changes, now) };
  return conclude(state, next, { ...NO_WRITES, effects: token?.actions ?? [] }, now);
}
