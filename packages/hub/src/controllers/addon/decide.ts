import {
  type AddOnTemplateSpec,
  type ConfigGroupResource,
  type ManagedClusterAddOnStatus,
  PRE_DELETE_MANIFESTS_ANNOTATION,
  REVISION_ANNOTATION,
  PROGRESSING_MESSAGES,
  clusterManagementAddOns,
  managedClusters,
} from '@outrigger/api';
import { type Condition, type JsonObject, findCondition } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import { degradedCondition } from '@outrigger/rules/dependencies';
import { type WorkProjection, type WorksProgress, worksProgress } from '@outrigger/rules/works';
import type { VersionStatus } from '@outrigger/rules/versions';
import { deleteBinding, deleteTokenObject } from './access-actions.js';
import { type AddOnAction, type AddOnDecision, workActions, workRefusal } from './actions.js';
import { NO_WRITES, type Writes, conclude } from './conclude.js';
import { decideDeletion } from './deletion.js';
import { decideLeaving } from './leaving.js';
import { deployWorks, type Examination, examine, type TemplateCompiler } from '@outrigger/rules/plan';
import { missingDependencies } from './missing-dependencies.js';
import type { AddOnState, HubAccess, Installed, Leftovers } from './state.js';
import { configuredCondition } from '@outrigger/rules/effective';
import { availableCondition, manifestAppliedCondition, unreachableCondition } from './steps/health.js';
import { judgeReport } from './reported-content.js';
import { hasHooks, keptHooks } from './steps/hooks.js';
import { planMetadata } from './steps/metadata.js';
import { keepContent } from './steps/own-content.js';
import { type Progress, progressOf } from './steps/progress.js';
import { type RegistrationPlan, endedCredentials, planRegistration, supportedKinds } from './steps/registration.js';
import { type ConditionChange, appliesOtherContent, applyConditions, configReferences } from './steps/status.js';
import { type TokenPlan, asksForSignIn, planToken, publishesSignIn } from './steps/token.js';

/**
 * Decides one pass over a ManagedClusterAddOn: the works that it needs, and its status. Each step is a separate function; this function
 * calls the steps in order and turns their results into writes and one status patch.
 */
export function decide(state: AddOnState | Leftovers, now: Now, compile: TemplateCompiler): AddOnDecision {
  if (!state.clusterAddOn) return takeAway(state);
  const { managementAddOn, cluster } = state;
  // Another manager handles this declaration (`lifecycle` annotation).
  if (managementAddOn?.isSelfManaged) return { stages: [] };
  if (state.clusterAddOn.isDeleting) return decideDeletion(state, now, compile);
  if (!managementAddOn || !cluster) return missing(state, now);
  return decideInstalled({ ...state, managementAddOn, cluster }, now, compile);
}

function takeAway({ access }: Leftovers): AddOnDecision {
  return { stages: [withdrawal(access)] };
}

/** Deletes everything that grants the add-on's agent permissions on the hub. */
function withdrawal({ bindings, tokenObjects }: HubAccess): readonly AddOnAction[] {
  return [...bindings.map(deleteBinding), ...tokenObjects.map(deleteTokenObject)];
}

/** Handles an add-on whose declaration or cluster does not exist: reports this and the add-on's health, and changes nothing else. */
function missing(state: AddOnState, now: Now): AddOnDecision {
  const { name, namespace = '' } = state.clusterAddOn.key;
  const message = state.managementAddOn
    ? PROGRESSING_MESSAGES.missing(managedClusters.kind, namespace)
    : PROGRESSING_MESSAGES.missing(clusterManagementAddOns.kind, name);
  const failed: ConditionChange = { type: 'Progressing', status: 'False', reason: 'Failed', message };
  const changes = [failed, undeclaredHealth(state)].filter((change) => change !== undefined);
  return conclude(state, { ...state.clusterAddOn.status, conditions: applyConditions(state.clusterAddOn, changes, now) }, NO_WRITES, now);
}

/**
 * The Available condition of an add-on without a declaration. Only works that this manager wrote are evaluated, because another manager
 * evaluates its own. The dependencies are unknown without the declaration, so Degraded still counts as last reported.
 */
function undeclaredHealth({ clusterAddOn, cluster, works }: AddOnState): ConditionChange | undefined {
  if (!cluster) return undefined;
  const own = writtenWorks({ clusterAddOn, works });
  if (own.length === 0) return unreachableCondition(cluster);
  const { conditions } = clusterAddOn.status;
  const health = { degraded: findCondition(conditions, 'Degraded'), existing: findCondition(conditions, 'Available') };
  return availableCondition(clusterAddOn.key.name, cluster, health, { type: 'hold' }, own);
}

/** The works of the add-on that this manager wrote. */
function writtenWorks(state: Pick<AddOnState, 'clusterAddOn' | 'works'>): readonly WorkProjection[] {
  return deployWorks(state).filter(({ renderInputs }) => renderInputs !== undefined);
}

function decideInstalled(state: Installed, now: Now, compile: TemplateCompiler): AddOnDecision {
  const found = examine(state, compile);
  if (found.isLeavingDefault) return decideLeaving(state, now);
  if (found.isUnread) return { stages: [] };
  const findings = inspect(state, found, now);
  const decision = conclude(state, nextStatus(state, findings, now), writesOf(state, findings), now);
  if (findings.renderer !== 'manager') return decision;
  const { events, remember } = judgeReport(state, [...findings.effective.refs, ...(findings.target.assigned ?? [])]);
  return { ...decision, remember, ...(events.length > 0 ? { events: [...(decision.events ?? []), ...events] } : {}) };
}

/** The results of all steps, from which the status and the writes are computed. */
interface Findings extends Examination {
  /**
   * The works to evaluate: if this manager renders the add-on, the works whose names it generated; otherwise all works with the add-on's
   * label.
   */
  readonly works: readonly WorkProjection[];
  readonly workProgress: WorksProgress;
  /** The message with which the API server rejected a work, if it rejected one. */
  readonly refusal: string | undefined;
  readonly progress: Progress;
  /** The change of the Degraded condition; undefined if the condition does not change. */
  readonly degraded: ReturnType<typeof degradedCondition>;
  readonly registration: RegistrationPlan | undefined;
  readonly token: TokenPlan | undefined;
  readonly endedCredentials: readonly ConditionChange[];
}

function inspect(state: Installed, found: Examination, now: Now): Findings {
  const { clusterAddOn } = state;
  const works = found.renderer === 'manager' ? deployWorks(state) : state.works;
  const workProgress = worksProgress(judgedWorks(found.plan, works), now.wall);
  const refusal = workRefusal(state, found.plan);
  const spec = 'spec' in found.template ? found.template.spec : undefined;
  return {
    works,
    workProgress,
    refusal,
    progress: progressOf({
      clusterAddOn,
      refs: found.effective.refs,
      version: found.version,
      supported: state.catalog.supported,
      plan: found.plan,
      works,
      worksProgress: workProgress,
      choice: found.overrides.choice,
      refusal,
    }),
    degraded: degradedCondition(missingDependencies(state), findCondition(clusterAddOn.status.conditions, 'Degraded')),
    registration: found.isBlocked ? undefined : spec && planRegistration(state, spec),
    token: tokenOf(state, found, spec),
    endedCredentials: spec && !found.isBlocked ? endedCredentials(state, spec) : [],
    ...found,
  };
}

/**
 * Plans the ServiceAccount of the add-on. Every add-on gets one, whichever manager renders the add-on, because the add-on's agent requests
 * tokens of the account. On a denied cluster the account is deleted. Otherwise the agent of the cluster could request tokens of the
 * account, with any lifetime, as long as the agent's certificate is valid.
 */
function tokenOf(state: Installed, { renderer, isBlocked }: Examination, spec: AddOnTemplateSpec | undefined): TokenPlan | undefined {
  if (!state.cluster.isAccepted) return planToken(state, false);
  if (isBlocked) return undefined;
  if (spec) return planToken(state, asksForSignIn(spec));
  return renderer === 'another manager' ? planToken(state, publishesSignIn(state)) : undefined;
}

/** The works that determine the progress. While works with earlier content still exist, only the works of the target count. */
function judgedWorks(plan: Findings['plan'], works: readonly WorkProjection[]): readonly WorkProjection[] {
  if (plan.type !== 'write' || plan.awaited.length === 0) return works;
  return works.filter(({ key }) => plan.awaited.includes(key.name));
}

function nextStatus(state: Installed, findings: Findings, now: Now): ManagedClusterAddOnStatus {
  const { clusterAddOn } = state;
  const { progress, registration, renderer, effective } = findings;
  const registrations = registration?.registrations ?? [];
  const references = renderer === 'undecided' ? undefined : configReferences(clusterAddOn, effective, state.configs, progress.isDone);
  const endsMove = progress.isDone && references !== undefined && appliesOtherContent(clusterAddOn, references);
  return {
    ...withVersions(clusterAddOn.status, progress.versions),
    ...(renderer === 'manager' ? published(state, findings) : {}),
    // Set the health mode even before the rollout admits the cluster, because agents assume lease-based health for an add-on without a
    // mode.
    ...(renderer === 'undecided' && state.catalog.isFromTemplates ? { healthCheck: PROBED } : {}),
    ...(registration && (registrations.length > 0 || clusterAddOn.status.registrations) ? { registrations } : {}),
    ...(references === undefined ? {} : { configReferences: references }),
    conditions: applyConditions(clusterAddOn, conditionsOf(state, findings), now, { endsMove }),
  };
}

/**
 * Returns the status with these version fields. If the add-on has no install version, removes the version fields that the hub wrote
 * earlier.
 */
function withVersions(status: ManagedClusterAddOnStatus, versions: VersionStatus): ManagedClusterAddOnStatus {
  if (versions.installVersion !== '') return { ...status, ...versions };
  if (!status.installVersion) return status;
  const { lastVersion: _last, installVersion: _installed, currentVersion: _current, ...others } = status;
  return others;
}

const NO_KINDS: readonly ConfigGroupResource[] = [];
const PROBED: NonNullable<ManagedClusterAddOnStatus['healthCheck']> = { mode: 'Customized' };

/** The status fields that agents and users read, for an add-on that this manager renders. */
function published(state: Installed, { plan }: Findings): ManagedClusterAddOnStatus {
  const namespace = 'installNamespace' in plan ? plan.installNamespace : undefined;
  return {
    healthCheck: PROBED,
    supportedConfigs: supportedKinds(state.managementAddOn.spec.supportedConfigs ?? NO_KINDS),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/**
 * Each condition has one writer. For an add-on that another manager renders, the hub writes only the conditions that no other writer can
 * compute.
 */
function conditionsOf(state: Installed, findings: Findings): readonly ConditionChange[] {
  const { clusterAddOn, cluster } = state;
  const { effective, target, degraded, progress, registration, token, plan, refusal } = findings;
  const works = reportedWorks(state, findings);
  const existing = (type: string): Condition | undefined => findCondition(clusterAddOn.status.conditions, type);
  const health = { degraded: degraded ?? existing('Degraded'), existing: existing('Available') };
  const changes: readonly (ConditionChange | undefined)[] = [
    configuredCondition(effective, target.isWaiting),
    degraded,
    progress.condition,
    registration?.condition,
    token?.condition,
    ...findings.endedCredentials,
    works ? availableCondition(clusterAddOn.key.name, cluster, health, plan, works) : unreachableCondition(cluster),
    works && manifestAppliedCondition(plan, works, refusal, existing('ManifestApplied')),
  ];
  return changes.filter((change) => change !== undefined);
}

/**
 * The works from which Available and ManifestApplied are computed; undefined if this manager does not write these conditions. The add-on may
 * have works although its content is not known now, for example while its record is in a format of a later version.
 */
function reportedWorks(state: Installed, { renderer, works }: Findings): readonly WorkProjection[] | undefined {
  if (renderer === 'manager') return works;
  const written = renderer === 'undecided' ? writtenWorks(state) : [];
  return written.length > 0 ? written : undefined;
}

/** The annotations to change; a null value removes the annotation. */
function changedAnnotations({ clusterAddOn }: Installed, findings: Findings): JsonObject {
  const { target } = findings;
  const hooks = keptHooks(clusterAddOn, findings);
  return {
    ...(hooks === undefined ? {} : { [PRE_DELETE_MANIFESTS_ANNOTATION]: hooks }),
    ...(target.admitted === undefined ? {} : { [REVISION_ANNOTATION]: String(target.admitted) }),
  };
}

function writesOf(state: Installed, findings: Findings): Writes {
  const { template, overrides, effective, plan, registration, token, workProgress, renderer } = findings;
  const contents = keepContent(state, overrides, effective);
  return {
    guards: contents.guards,
    metadata: planMetadata(state, hasHooks(template), changedAnnotations(state, findings)),
    effects: [
      ...contents.actions,
      ...workActions(state, plan),
      ...(registration?.actions ?? []),
      ...(token?.actions ?? []),
      // If another manager renders the add-on, delete the bindings that the template granted.
      ...(renderer === 'another manager' ? state.access.bindings.map(deleteBinding) : []),
    ],
    recheckAt: workProgress.recheckAt,
  };
}
