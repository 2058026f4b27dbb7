import { type AddOnConditionType, type ManagedClusterAddOnStatus, managedClusterAddOns } from '@outrigger/api';
import { type JsonObject, findCondition } from '@outrigger/core';
import { type Action, type Decision, NOTHING, type Now } from '@outrigger/kube';
import { degradedCondition, unsatisfiedDependencies } from '../../dependencies/evaluate.js';
import { HUB } from '../../resources/base.js';
import { isUnreachable } from '../../resources/clusters.js';
import { worksProgress } from '../../works/progress.js';
import { ownerActions, workActions, workRefusal } from './actions.js';
import type { AddOnState } from './state.js';
import { configuredCondition, effectiveConfigs, overridesOf, supportedTest } from './steps/configuration.js';
import { availableCondition, manifestAppliedCondition } from './steps/health.js';
import { type TemplateCompiler, type WorksPlan, planWorks } from './steps/plan-works.js';
import { progressOf } from './steps/progress.js';
import { registrationStep } from './steps/registration.js';
import { type ConditionChange, applyConditions, configReferences, patchNotBefore, statusPatch } from './steps/status.js';
import { pickTarget } from './steps/target.js';

/**
 * One pass over a ManagedClusterAddOn: what must stand on its cluster, and how is it. Each step is a function of its own; this one says in
 * which order they are asked and turns their answers into one status patch and the writes before it.
 */
export function decide(state: AddOnState, now: Now, compile: TemplateCompiler): Decision {
  const { addOn, declaration, cluster } = state;
  // Works and bindings go by their owner references; a declaration that looks after itself is none of our business.
  if (addOn.isDeleting || declaration?.isSelfManaged) return NOTHING;
  if (!declaration || !cluster) {
    const missing = declaration ? `ManagedCluster ${addOn.key.namespace ?? ''}` : `ClusterManagementAddOn ${addOn.key.name}`;
    return onlyStatus(state, [{ type: 'Progressing', status: 'False', reason: 'Failed', message: `${missing} does not exist` }], now);
  }

  const overrides = overridesOf(state);
  const target = pickTarget(addOn, state.membership, state.rollout, overrides.kinds);
  const effective = effectiveConfigs(target, overrides, state.configs, supportedTest(declaration.spec.supportedConfigs ?? []));
  const chosen = overrides.template;
  const version = chosen?.type === 'template' ? chosen.template.version : target.version;
  const isBlocked = chosen !== undefined && chosen.type !== 'template' && chosen.type !== 'none';
  const plan: WorksPlan =
    isBlocked || cluster.isDeleting || target.configs === undefined ? { type: 'hold' } : planWorks(state, effective, version, compile);

  const missing = unsatisfiedDependencies(state.dependencies, state.prerequisites);
  const oldDegraded = findCondition(addOn.status.conditions, 'Degraded');
  const degraded = isUnreachable(cluster) ? undefined : degradedCondition(missing, oldDegraded);
  const refusal = workRefusal(state, plan);
  const works = worksProgress(state.works, now.wall);
  const progress = progressOf({
    addOn,
    refs: effective.refs,
    version,
    supported: state.catalog.supported,
    plan,
    works,
    choice: chosen,
    refusal,
  });
  const registration = registrationStep(state, effective);

  const isOurs = plan.type !== 'foreign';
  const conditions: ConditionChange[] = [configuredCondition(effective, target.isWaiting)];
  if (degraded) conditions.push(degraded);
  if (progress.condition) conditions.push(progress.condition);
  if (isOurs) {
    conditions.push(registration.condition, availableCondition(addOn.key.name, cluster, degraded ?? oldDegraded, state.works));
    const applied = manifestAppliedCondition(plan, state.works, refusal);
    if (applied) conditions.push(applied);
  }

  const next: ManagedClusterAddOnStatus = {
    ...addOn.status,
    ...(progress.versions.installVersion === '' ? {} : progress.versions),
    ...(isOurs ? { healthCheck: { mode: 'Customized' as const }, supportedConfigs: registration.supportedConfigs } : {}),
    ...(isOurs && registration.registrations ? { registrations: registration.registrations } : {}),
    ...(plan.type === 'write' ? { namespace: plan.installNamespace } : {}),
    configReferences: configReferences(addOn, effective.refs, state.configs, progress.isDone),
    conditions: applyConditions(addOn, conditions, now),
  };
  return assemble(state, plan, next, [works.recheckAt], now);
}

/** The writes of a pass: works and ownership first, then the status that speaks of what was seen before them. */
function assemble(
  state: AddOnState,
  plan: WorksPlan,
  next: ManagedClusterAddOnStatus,
  recheckAt: readonly (number | undefined)[],
  now: Now,
): Decision {
  const { addOn } = state;
  const adoption = ownerActions(state);
  const effects: Action[] = [...adoption, ...workActions(state, plan)];
  // Adoption changes the object this status was computed from: the pass its own event brings writes the status.
  const patch = adoption.length > 0 ? undefined : statusPatch(addOn, next);
  const notBefore = patch ? patchNotBefore(addOn, patch, now) : undefined;
  const isPatchDue = patch !== undefined && notBefore !== undefined && notBefore <= now.wall;
  const times = [...recheckAt, isPatchDue ? undefined : notBefore].filter((time) => time !== undefined);
  return {
    stages: [effects, isPatchDue ? [patchStatus(state, patch)] : []].filter((stage) => stage.length > 0),
    ...(times.length > 0 ? { requeueAfterMs: Math.max(0, Math.min(...times) - now.wall) } : {}),
  };
}

function patchStatus({ addOn }: AddOnState, status: JsonObject): Action {
  return {
    type: 'patch',
    id: 'status',
    api: HUB,
    kind: managedClusterAddOns,
    key: addOn.key,
    subresource: 'status',
    patch: { status },
    precondition: { uid: addOn.uid, resourceVersion: addOn.resourceVersion },
  };
}

function onlyStatus(state: AddOnState, conditions: readonly (ConditionChange & { type: AddOnConditionType })[], now: Now): Decision {
  const next = { ...state.addOn.status, conditions: applyConditions(state.addOn, conditions, now) };
  const patch = statusPatch(state.addOn, next);
  return patch ? { stages: [[patchStatus(state, patch)]] } : NOTHING;
}
