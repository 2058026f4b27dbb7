import type { RejectedContent } from '@outrigger/api';
import { isReadableFormat } from '@outrigger/rules/observed';
import { findCondition, isConditionTrue, shell } from '@outrigger/core';
import type { CacheView } from '@outrigger/kube';
import { unsatisfiedDependencies } from '@outrigger/rules/dependencies';
import { declaredCycles } from '../lookups/dependency-cycles.js';
import { addOns } from '../resources/add-ons.js';
import type { FleetState } from '../controllers/fleet/state.js';
import type { RenderedDifference } from './differences.js';
import type { PlannedFleet } from './entries.js';
import type { Course } from './forecast.js';
import type { RightsChange } from './rights/rights.js';

/** A reason why the change does not, or might not, take effect on clusters. */
export interface Obstacle {
  readonly message: string;
  /** `unknown` if the user may not read the objects that show whether the reason applies. */
  readonly certainty: 'known' | 'unknown';
  /** The affected clusters; empty if the whole add-on is affected. */
  readonly clusters: readonly string[];
}

export function obstacle(message: string, clusters: readonly string[] = []): Obstacle {
  return { message, certainty: 'known', clusters };
}

/** Obstacles for kinds that the user may not list. */
export function refusedLists(unreadable: readonly string[]): readonly Obstacle[] {
  return unreadable.map((kind) => ({
    message: `your rights do not include listing ${kind}, so the plan may leave something out`,
    certainty: 'unknown',
    clusters: [],
  }));
}

/** Obstacles for differences that cannot be shown because the user may not read stored content. */
export function unreadContents(differences: readonly RenderedDifference[]): readonly Obstacle[] {
  const clusters = differences.filter(({ isKnown, problem }) => !isKnown && problem === undefined).flatMap((one) => one.clusters);
  if (clusters.length === 0) return [];
  const message = 'your rights do not include listing controllerrevisions, so the content of earlier revisions is not known';
  return [{ message, certainty: 'unknown', clusters }];
}

export interface ObstacleInput {
  readonly state: FleetState;
  readonly view: CacheView;
  readonly planned: PlannedFleet;
  readonly differences: readonly RenderedDifference[];
  readonly rights: RightsChange;
  readonly courses: readonly (readonly [entry: string, course: Course])[];
}

export function obstacles(input: ObstacleInput): readonly Obstacle[] {
  const { state, planned, differences, rights, courses } = input;
  const { managementAddOn, rollout } = state;
  const format = rollout?.status.formatVersion;
  const isPaused = rollout?.spec.paused === true || state.isFleetPaused === true;
  return [
    ...(managementAddOn.isDeleting ? [obstacle('the ClusterManagementAddOn is being deleted')] : []),
    ...(managementAddOn.isSelfManaged ? [obstacle('the add-on manages its own rollout, so this manager moves no cluster')] : []),
    ...(isReadableFormat(format) ? [] : [obstacle(`the AddOnRollout has format ${format}, which this release does not read`)]),
    ...(isPaused ? [obstacle('the rollout is paused, so no cluster is admitted')] : []),
    ...(state.cycle ? [obstacle(`the dependencies form a cycle: ${state.cycle.join(' -> ')}`)] : []),
    ...planned.entries.flatMap(({ members: { observation }, targets }) => [
      ...(observation.unknown ? [obstacle(`${observation.entry.name}: ${observation.unknown.message}`)] : []),
      ...(targets.problem === undefined ? [] : [obstacle(`${observation.entry.name}: ${targets.problem}`)]),
      ...(targets.rejection && targets.problem === undefined
        ? [obstacle(rejectedText(managementAddOn.key.name, observation.entry.name, targets.rejection))]
        : []),
    ]),
    ...differences.flatMap(({ problem, clusters }) => (problem === undefined ? [] : [obstacle(problem, clusters)])),
    ...missingDependencies(input),
    ...rights.missing.map((role) => obstacle(`the template grants ${role}, which does not exist on the hub`)),
    ...refusedBindings(state),
    ...courses.flatMap(([entry, { result, gates }]) => heldForever(entry, result.outcome, gates)),
  ];
}

function rejectedText(addOn: string, entry: string, { revision, reason, gate }: RejectedContent): string {
  const subject = revision === undefined ? 'the content' : `revision ${revision}`;
  const retry = gate === undefined ? shell`outrigger rollout retry ${addOn}` : shell`outrigger rollout retry ${addOn} --gate ${gate}`;
  return `${entry}: ${subject} is rejected, so no cluster moves to it until \`${retry}\` lifts the rejection: ${reason}`;
}

function missingDependencies({ state, view, differences }: ObstacleInput): readonly Obstacle[] {
  const { key, spec } = state.managementAddOn;
  const dependencies = spec.dependencies ?? [];
  if (dependencies.length === 0) return [];
  const cycles = declaredCycles(view, key.name);
  const lacking = new Map<string, string[]>();
  for (const cluster of differences.flatMap(({ clusters }) => clusters)) {
    const missing = unsatisfiedDependencies(dependencies, {
      prerequisite: (name) => {
        const found = view.get(addOns, { namespace: cluster, name });
        if (!found) return undefined;
        const degraded = findCondition(found.status.conditions, 'Degraded');
        return {
          isDeleting: found.isDeleting,
          isAvailable: isConditionTrue(found.status.conditions, 'Available'),
          degradedReason: degraded?.status === 'True' ? degraded.reason : undefined,
        };
      },
      cycle: (name) => cycles.through(name),
    });
    for (const { name, type = 'Required' } of missing) {
      if (type !== 'Required') continue;
      lacking.set(name, [...(lacking.get(name) ?? []), cluster]);
    }
  }
  return [...lacking].map(([name, clusters]) => obstacle(`the required add-on ${name} is not installed or not available`, clusters));
}

/** Permissions that the manager could not grant, according to the add-ons on other clusters. */
function refusedBindings({ addOns: installed }: FleetState): readonly Obstacle[] {
  const found = new Map<string, string[]>();
  for (const { key, status } of installed) {
    const condition = findCondition(status.conditions, 'RegistrationApplied');
    if (condition?.status !== 'False' || condition.reason !== 'SetPermissionFailed') continue;
    found.set(condition.message, [...(found.get(condition.message) ?? []), key.namespace ?? '']);
  }
  return [...found].map(([message, clusters]) => obstacle(`the manager lacks a right: ${message}`, clusters));
}

function heldForever(entry: string, outcome: Course['result']['outcome'], gates: Course['gates']): readonly Obstacle[] {
  if (outcome === 'Halted') return [obstacle(`${entry}: more clusters have failed than maxFailures tolerates, so no cluster is admitted`)];
  if (outcome !== 'Held') return [];
  const closed = gates.filter(({ opensAt }) => opensAt === undefined);
  return closed.map(({ name, message }) =>
    obstacle(`${entry}: ${name} does not open by itself${message === undefined ? '' : `: ${message}`}`),
  );
}
