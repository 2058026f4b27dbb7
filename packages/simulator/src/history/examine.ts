import { type Evidence, type LogEntry, type Violation, judge } from '../model/index.js';
import type { PreparedWorld } from '../world/world.js';
import type { ApiEvent } from '../engine/index.js';
import { type RunResult, run } from './run.js';
import { type History, isFault } from './steps.js';

/** A run and the violations that the model found. */
export interface Examined {
  readonly result: RunResult;
  readonly violations: readonly Violation[];
}

export async function examine(history: History, prepared: PreparedWorld): Promise<Examined> {
  const result = await run(history, prepared);
  return { result, violations: judge(evidenceOf(result, prepared)) };
}

function evidenceOf(result: RunResult, prepared: PreparedWorld): Evidence {
  const { history, log, defects, hasSettled, idleRequests, restartRequests, onClusters } = result;
  const entryOf = ({ index, at, actor, kind, id, before, after }: ApiEvent): LogEntry => ({
    index,
    at,
    actor: actor.name,
    kind: kind.plural,
    id,
    before,
    after,
    pass: actor.pass,
  });
  return {
    initial: (history.hasRegistration ? prepared.registered : prepared).api.objects,
    log: log.map(entryOf),
    clusters: new Map([...result.clusters].map(([name, events]) => [name, events.map(entryOf)])),
    hasFaults: history.steps.some(({ step }) => isFault(step)),
    hasClockSteps: history.steps.some(({ step }) => step.do === 'hub clock'),
    hasLostAnswers: history.steps.some(({ step }) => step.do === 'lose requests' && step.fate === 'answer lost'),
    hasSettled,
    idleRequests,
    restartRequests,
    defects: defects.map(({ controller, key, error }) => `${controller} ${key}: ${error instanceof Error ? error.message : String(error)}`),
    onClusters,
  };
}
