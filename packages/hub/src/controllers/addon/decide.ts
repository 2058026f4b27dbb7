import type { ManagedClusterAddOnStatus } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { type Decision, NOTHING, type Now } from '@outrigger/kube';
import { degradedCondition, unsatisfiedDependencies } from '../../dependencies/evaluate.js';
import type { ClusterRecord } from '../../resources/clusters.js';
import { isUnreachable } from '../../resources/clusters.js';
import type { DeclarationRecord } from '../../resources/declarations.js';
import { worksProgress } from '../../works/progress.js';
import { deleteBinding, deleteTokenObject } from './access-actions.js';
import { workActions, workRefusal } from './actions.js';
import { NO_WRITES, type Writes, conclude } from './conclude.js';
import { decideDeletion } from './deletion.js';
import { type Examination, examine } from './examine.js';
import type { AddOnState, Leftovers } from './state.js';
import { configuredCondition } from './steps/configuration.js';
import { availableCondition, manifestAppliedCondition, unreachableCondition } from './steps/health.js';
import { hasHooks } from './steps/hooks.js';
import { metadataActions } from './steps/metadata.js';
import { keepContent } from './steps/own-content.js';
import { deployWorks } from './steps/plan-works.js';
import { type Progress, progressOf } from './steps/progress.js';
import { planRegistration, supportedKinds } from './steps/registration.js';
import { type ConditionChange, applyConditions, configReferences } from './steps/status.js';
import type { TemplateCompiler } from './steps/template.js';
import { planToken } from './steps/token.js';

/** The declared add-on on a cluster that exists. */
interface Installed extends AddOnState {
  readonly declaration: DeclarationRecord;
  readonly cluster: ClusterRecord;
}

/**
 * One pass over a ManagedClusterAddOn: what must stand on its cluster, and how is it. Each step is a function of its own; this one says in
 * which order they are asked and turns their answers into writes and one status patch.
 */
export function decide(state: AddOnState | Leftovers, now: Now, compile: TemplateCompiler): Decision {
  if (!state.addOn) return takeAway(state);
  const { declaration, cluster } = state;
  // A declaration that looks after itself is none of our business.
  if (declaration?.isSelfManaged) return NOTHING;
  if (state.addOn.isDeleting) return decideDeletion(state, now, compile);
  if (!declaration || !cluster) return missing(state, now);
  return decideInstalled({ ...state, declaration, cluster }, now, compile);
}

function takeAway({ access }: Leftovers): Decision {
  return { stages: [[...access.bindings.map(deleteBinding), ...access.tokenObjects.map(deleteTokenObject)]] };
}

function missing(state: AddOnState, now: Now): Decision {
  const { name, namespace = '' } = state.addOn.key;
  const what = state.declaration ? `ManagedCluster ${namespace}` : `ClusterManagementAddOn ${name}`;
  const failed: ConditionChange = { type: 'Progressing', status: 'False', reason: 'Failed', message: `${what} does not exist` };
  return conclude(state, { ...state.addOn.status, conditions: applyConditions(state.addOn, [failed], now) }, NO_WRITES, now);
}

function decideInstalled(state: Installed, now: Now, compile: TemplateCompiler): Decision {
  const { addOn, cluster } = state;
  const found = examine(state, compile);
  if (found.isUnread) return NOTHING;
  const { effective, plan, template } = found;

  const unsatisfied = unsatisfiedDependencies(state.dependencies, state.prerequisites);
  const oldDegraded = findCondition(addOn.status.conditions, 'Degraded');
  const degraded = isUnreachable(cluster) ? undefined : degradedCondition(unsatisfied, oldDegraded);
  const refusal = workRefusal(state, plan);
  const works = found.renderer === 'manager' ? deployWorks(state) : state.works;
  const standing = worksProgress(works, now.wall);
  const progress = progressOf({
    addOn,
    refs: effective.refs,
    version: found.version,
    supported: state.catalog.supported,
    plan,
    works,
    worksProgress: standing,
    choice: found.overrides.choice,
    refusal,
  });
  const spec = 'spec' in template ? template.spec : undefined;
  const registration = spec && planRegistration(state, spec);
  const token = spec && planToken(state, spec);

  const conditions: ConditionChange[] = [configuredCondition(effective, found.target.isWaiting)];
  if (degraded) conditions.push(degraded);
  if (progress.condition) conditions.push(progress.condition);
  if (registration) conditions.push(registration.condition);
  if (token?.condition) conditions.push(token.condition);
  const available =
    found.renderer === 'manager'
      ? availableCondition(addOn.key.name, cluster, degraded ?? oldDegraded, plan, works)
      : unreachableCondition(cluster);
  if (available) conditions.push(available);
  const applied = found.renderer === 'manager' ? manifestAppliedCondition(plan, works, refusal) : undefined;
  if (applied) conditions.push(applied);

  const next: ManagedClusterAddOnStatus = {
    ...addOn.status,
    ...(progress.versions.installVersion === '' ? {} : progress.versions),
    ...(found.renderer === 'manager' ? published(state, found) : {}),
    ...(registration && (registration.registrations.length > 0 || addOn.status.registrations)
      ? { registrations: registration.registrations }
      : {}),
    ...(found.renderer === 'undecided' ? {} : { configReferences: references(state, found, progress) }),
    conditions: applyConditions(addOn, conditions, now),
  };
  const writes: Writes = {
    metadata: metadataActions(state, hasHooks(template)),
    effects: [
      ...keepContent(state, found.overrides, effective),
      ...workActions(state, plan),
      ...(registration?.actions ?? []),
      ...(token?.actions ?? []),
    ],
    recheckAt: standing.recheckAt,
  };
  return conclude(state, next, writes, now);
}

/** What agents and people read off an add-on the manager renders. */
function published(state: Installed, { plan }: Examination): ManagedClusterAddOnStatus {
  const namespace = 'installNamespace' in plan ? plan.installNamespace : undefined;
  return {
    healthCheck: { mode: 'Customized' },
    supportedConfigs: supportedKinds(state.declaration.spec.supportedConfigs ?? []),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function references({ addOn, configs }: Installed, { effective }: Examination, { isDone }: Progress): ReturnType<typeof configReferences> {
  return configReferences(addOn, effective.refs, configs, isDone);
}
