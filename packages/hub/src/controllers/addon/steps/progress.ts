import { type AddOnConditionOf, PROGRESSING_MESSAGES, UNKNOWN_VERSION, configName } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { configSpecHash, type PinnedRef } from '@outrigger/rules/configuration';
import type { AddOnProjection } from '@outrigger/rules/observed';
import { unappliedRefs } from '@outrigger/rules/rollout';
import {
  advanceVersions,
  choiceProblem,
  type Direction,
  directionOf,
  type TemplateChoice,
  type VersionStatus,
} from '@outrigger/rules/versions';
import type { WorkProjection, WorksProgress } from '@outrigger/rules/works';
import type { WorksPlan } from '@outrigger/rules/plan';

/** The results of a pass from which the progress is computed. */
export interface ProgressInput {
  readonly clusterAddOn: AddOnProjection;
  readonly refs: readonly PinnedRef[];
  readonly version: string;
  readonly supported: readonly string[];
  readonly plan: WorksPlan;
  readonly works: readonly WorkProjection[];
  /** The progress of the existing works. It is meaningful only if the existing works are those of the target. */
  readonly worksProgress: WorksProgress;
  /**
   * The version or template that a user chose, or the problem with the version or template that the entry requests; undefined if the add-on
   * follows its declaration.
   */
  readonly choice: TemplateChoice | undefined;
  /** The message with which the API server rejected a work, if it rejected one. */
  readonly refusal: string | undefined;
}

type Progressing = AddOnConditionOf<'Progressing'>;

export interface Progress {
  readonly condition: Progressing | undefined;
  readonly versions: VersionStatus;
  readonly isDone: boolean;
}

/** Computes the progress of the add-on towards its target, and the version fields of the status. */
export function progressOf(input: ProgressInput): Progress {
  const { clusterAddOn, choice, supported } = input;
  const before: VersionStatus = {
    lastVersion: clusterAddOn.status.lastVersion ?? '',
    installVersion: clusterAddOn.status.installVersion ?? '',
    currentVersion: clusterAddOn.status.currentVersion ?? '',
  };
  if (choice?.type === 'unsupported-version') {
    const versions = advanceVersions(before, choice.version, supported, false);
    const move = MOVES[directionOf(versions.lastVersion, choice.version, supported)];
    return { condition: failed(PROGRESSING_MESSAGES.invalidVersion(move, choice.version)), versions, isDone: false };
  }
  const problem = choiceProblem(choice);
  if (problem !== undefined) return { condition: failed(problem), versions: before, isDone: false };
  if (input.plan.type === 'hold') return { condition: undefined, versions: before, isDone: false };

  const isCurrent = input.plan.type === 'current' || (input.plan.type === 'another manager' && areTheirWorksCurrent(input));
  const isDone = isCurrent && (input.worksProgress.isDone || hasSucceeded(input));
  const versions = advanceVersions(before, input.version, supported, isDone);
  return { condition: isDone ? SUCCEEDED : (failure(input, isCurrent) ?? moving(input, versions)), versions, isDone };
}

const MOVES = { Installing: 'install', Upgrading: 'upgrade', Rollingback: 'rollback' } as const satisfies Record<Direction, string>;

const SUCCEEDED: Progressing = { type: 'Progressing', status: 'False', reason: 'Succeed', message: PROGRESSING_MESSAGES.succeeded };

function failed(message: string): Progressing {
  return { type: 'Progressing', status: 'False', reason: 'Failed', message };
}

function failure({ plan, refusal, worksProgress: works }: ProgressInput, isCurrent: boolean): Progressing | undefined {
  if (plan.type === 'problem') return failed(plan.message);
  if (refusal !== undefined) return failed(refusal);
  // If the plan waits for works of the target, `works` is the progress of only these works.
  const isOfTarget = isCurrent || (plan.type === 'write' && plan.awaited.length > 0);
  return isOfTarget && works.failure !== undefined ? failed(works.failure) : undefined;
}

/**
 * Whether the works of another manager match the target: at least one work exists, and every work names the digests and the version of the
 * target.
 */
function areTheirWorksCurrent({ works, refs, version }: ProgressInput): boolean {
  const hash = configSpecHash(refs);
  return works.length > 0 && works.every((work) => work.configSpecHash === hash && (version === '' || work.version === version));
}

/**
 * Whether the move to this content has already succeeded. The success is final, because a later restart of a pod affects health, not
 * progress.
 */
function hasSucceeded({ clusterAddOn, refs, version }: ProgressInput): boolean {
  const { conditions, currentVersion } = clusterAddOn.status;
  // currentVersion is absent if the add-on has no versions, or if the hub's CRDs do not define the field.
  const isSameVersion = currentVersion === undefined || currentVersion === version;
  return (
    findCondition(conditions, 'Progressing')?.reason === 'Succeed' &&
    isSameVersion &&
    unappliedRefs(clusterAddOn.report.configReferences, refs).length === 0
  );
}

function moving(input: ProgressInput, versions: VersionStatus): Progressing {
  const { clusterAddOn, refs, version, supported } = input;
  const changed = unappliedRefs(clusterAddOn.report.configReferences, refs);
  const isVersionStanding =
    version === '' ? changed.length < refs.length || isInstalled(clusterAddOn) : versions.currentVersion === version;
  if (isVersionStanding) {
    const message = PROGRESSING_MESSAGES.reconfiguring(changed.map(configName));
    return { type: 'Progressing', status: 'True', reason: 'Reconfiguring', message };
  }
  const direction = directionOf(versions.lastVersion, version, supported);
  const message = {
    Installing: PROGRESSING_MESSAGES.installing(version),
    Upgrading: PROGRESSING_MESSAGES.upgrading(version),
    Rollingback: PROGRESSING_MESSAGES.rollingBack(version),
  }[direction];
  return { type: 'Progressing', status: 'True', reason: direction, message };
}

function isInstalled(clusterAddOn: AddOnProjection): boolean {
  const { currentVersion, configReferences = [] } = clusterAddOn.status;
  if (currentVersion && currentVersion !== UNKNOWN_VERSION) return true;
  return configReferences.some(({ lastAppliedConfig }) => lastAppliedConfig !== undefined);
}
