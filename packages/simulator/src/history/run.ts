import { type AddOnTemplate, addOnRollouts, addOnTemplates } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { ApiEvent, Snapshot } from '../engine/index.js';
import { disturb } from '../world/faults.js';
import { ADD_ONS } from '../world/objects.js';
import { actAsPerson, createMissingPlacements, retryRejections } from '../world/people.js';
import { POLICIES } from '../world/policies.js';
import { RealAgent } from '../world/real-agent.js';
import { type Defect, type PreparedWorld, World } from '../world/world.js';
import { type History, type TimedStep, isFault, isRegistrationStep } from './steps.js';

/** The results of a run that the model checks. */
export interface RunResult {
  readonly history: History;
  readonly startedAt: number;
  readonly log: readonly ApiEvent[];
  readonly defects: readonly Defect[];
  /** The number of log entries at the time of each step of the history. */
  readonly marks: readonly number[];
  /** The number of log entries when users and faults had stopped and the clusters were healthy again. */
  readonly healedAt: number;
  /** Write requests that the settled hub sent at the end. `restartRequests` are those that it sent after a restart of all its processes. */
  readonly idleRequests: readonly string[];
  readonly restartRequests: readonly string[];
  /** Whether the hub settled within the limit of virtual time. */
  readonly hasSettled: boolean;
  /** The names of the works whose objects are on each cluster at the end. */
  readonly onClusters: ReadonlyMap<string, readonly string[]>;
  /** The logs of the clusters' API servers, for clusters that have one. */
  readonly clusters: ReadonlyMap<string, readonly ApiEvent[]>;
  readonly passes: number;
  /** The objects on the API server at the end, by plural and id. */
  readonly end: Snapshot['objects'];
}

/**
 * Maximum time until the hub's last write after users and faults have stopped. It covers soaks, deadlines, back-offs and the return of a
 * cluster.
 */
const SETTLE_MS = 60 * 60_000;
/**
 * The longest time between two writes of a hub that has not settled, if its clock makes no steps. It is longer than the ten minutes after
 * which the hub collects unreferenced content.
 */
const CALM_MS = 11 * 60_000;
const QUIET_MS = 20 * 60_000;

/** Runs a history. The result depends only on the history and the prepared world. */
export async function run(history: History, prepared: PreparedWorld): Promise<RunResult> {
  const { seed, hasReplica, paceMs, hasOtherManager, hasRealAgents, hasRegistration = false } = history;
  const registered = hasRegistration ? prepared.registered : undefined;
  const world = new World({ seed, from: registered ?? prepared, hasReplica, paceMs, hasOtherManager, hasRealAgents, registered });
  const startedAt = world.agenda.now;
  const marks: number[] = [];
  world.startHub();
  await perform(world, history.steps, marks);
  const healedAt = heal(world);
  const hasSettled = await settle(world, clockStepsMs(history));
  const requests: string[] = [];
  world.api.onRequest = (actor, verb, kind, id) => {
    if (actor.pass) requests.push(`${actor.name}: ${verb} ${kind.plural} ${id}`);
  };
  await world.agenda.runUntil(world.agenda.now + QUIET_MS);
  const idleRequests = requests.splice(0);
  world.restartHub();
  await world.agenda.runUntil(world.agenda.now + 60_000);
  return {
    history,
    startedAt,
    log: world.api.log,
    defects: world.defects,
    marks,
    healedAt,
    idleRequests,
    restartRequests: requests,
    hasSettled,
    onClusters: new Map([...world.agents].map(([name, agent]) => [name, agent.applied] as const)),
    clusters: new Map(
      [...world.agents].flatMap(([name, agent]) => (agent instanceof RealAgent ? [[name, agent.clusterApi.log] as const] : [])),
    ),
    passes: world.passes,
    end: world.api.snapshot().objects,
  };
}

async function perform(world: World, steps: readonly TimedStep[], marks: number[]): Promise<void> {
  for (const { afterMs, step } of steps) {
    await world.agenda.runUntil(world.agenda.now + afterMs);
    marks.push(world.api.log.length);
    if (isFault(step)) disturb(world, step);
    else if (isRegistrationStep(step)) world.registration?.act(step);
    else actAsPerson(world, step);
  }
}

/** Ends all faults, creates missing Placements, and removes pauses, pins, policies, rejections, and content that cannot run. */
function heal(world: World): number {
  world.disturbances.end();
  world.laterManager.end();
  for (const agent of world.agents.values()) agent.comeBack();
  world.registration?.heal();
  const good = (content: string): string => content.replace(/:(bad|slow)-/, ':good-9');
  for (const template of [...world.api.list(addOnTemplates)] as AddOnTemplate[]) {
    const text = JSON.stringify(template.spec);
    if (good(text) === text) continue;
    world.api.replace({ name: 'person' }, addOnTemplates, {
      ...template,
      spec: JSON.parse(good(text)) as AddOnTemplate['spec'],
    } as KubeObject);
  }
  createMissingPlacements(world);
  for (const policy of POLICIES) actAsPerson(world, { do: 'delete policy', policy });
  for (const addOn of ADD_ONS) {
    actAsPerson(world, { do: 'pause', addOn, paused: false });
    actAsPerson(world, { do: 'pin', addOn, back: undefined });
    actAsPerson(world, { do: 'pin entry', addOn, isCanary: false, back: undefined });
    actAsPerson(world, { do: 'metrics', addOn, value: 0 });
    retryRejections(world, addOn);
  }
  return world.api.log.length;
}

/** Returns the sum of all clock steps of the hub in the history, in milliseconds. */
function clockStepsMs({ steps }: History): number {
  return steps.reduce((sum, { step }) => sum + (step.do === 'hub clock' ? Math.abs(step.ms) : 0), 0);
}

/**
 * Runs until only Leases have changed for some time, and returns whether this happened within the limit. If the hub's clock made steps, the
 * required time is longer, because the hub compares stored times with its clock. A simulated user confirms every pending removal. After a
 * clock step, the user also retries rejections repeatedly: the hub may have rejected content at a time in the future, and a retry lifts
 * only rejections that are not newer than the retry.
 */
async function settle(world: World, stepsMs: number): Promise<boolean> {
  const calmMs = CALM_MS + stepsMs;
  const until = world.agenda.now + SETTLE_MS + calmMs;
  const quiet = (): number => world.api.log.findLast(({ kind }) => kind.plural !== 'leases')?.at ?? 0;
  while (world.agenda.now < until) {
    await world.agenda.runUntil(world.agenda.now + 30_000);
    for (const addOn of ADD_ONS) {
      const rollout = world.api.find(addOnRollouts, { name: addOn });
      const count = rollout?.status?.pendingRemoval?.count;
      if (count !== undefined && rollout?.spec?.confirmRemoval !== count) actAsPerson(world, { do: 'confirm', addOn, off: 0 });
      if (stepsMs > 0) retryRejections(world, addOn);
    }
    if (world.agenda.now - quiet() >= calmMs) return true;
  }
  return false;
}
