import { type Evidence, type LogEntry, type Stored, type Violation, judge } from '../model/index.js';
import type { PreparedWorld } from '../world/world.js';
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
  return {
    initial: prepared.api.objects,
    log: log.map(
      ({ index, at, actor, kind, id, before, after }): LogEntry => ({
        index,
        at,
        actor: actor.name,
        kind: kind.plural,
        id,
        before: before as Stored | undefined,
        after: after as Stored | undefined,
        pass: actor.pass,
      }),
    ),
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
