import type { Runtime } from '@outrigger/core';
import type { Client } from '../client/types.js';
import type { EffectContext, EffectHandler, Written } from '../controller.js';
import type { Action, ApiAction, EffectAction } from '../decision.js';
import type { Fence } from '../leader/fence.js';
import type { ApiName } from '../resource.js';
import { type AcceptedWrite, perform } from './perform.js';

export interface ExecutorOptions {
  readonly runtime: Runtime;
  readonly apis: Readonly<Record<ApiName, Client>>;
  readonly fence: Fence;
  /**
   * Deadline for each write. With leader election, this must be shorter than the time between the renew deadline and the end of the lease.
   */
  readonly writeTimeoutMs?: number;
  /** Modifies an action before it is sent (see `pinRevision`). */
  readonly prepare?: (action: ApiAction) => ApiAction;
}

export interface ActionFailure {
  readonly action: Action;
  readonly error: unknown;
}

export interface Execution {
  /** The actions that the server accepted, in the order of the decision. */
  readonly succeeded: readonly Action[];
  readonly failures: readonly ActionFailure[];
  readonly writes: readonly AcceptedWrite[];
}

export type Effects = Readonly<Record<string, EffectHandler>>;

/** Parts of a pass for the executor: the handlers of its effects, and the function that changes the in-memory state of the key. */
export interface PassEffects {
  readonly handlers: Effects;
  readonly remember: EffectContext['remember'];
}

export interface Executor {
  /** Attempts every action of a stage, even if some fail. Starts a stage only if all earlier stages succeeded. Never rejects. */
  execute(stages: readonly (readonly Action[])[], effects: PassEffects, signal: AbortSignal): Promise<Execution>;
}

type Outcome = { readonly writes: readonly AcceptedWrite[] } | { readonly error: unknown };

export function createExecutor({ runtime, apis, fence, writeTimeoutMs, prepare = (action) => action }: ExecutorOptions): Executor {
  const timeout = writeTimeoutMs === undefined ? {} : { timeoutMs: writeTimeoutMs };

  function client(api: ApiName): Client {
    const found = apis[api];
    if (found) return found;
    throw new Error(`no client for the API "${api}"; known: ${Object.keys(apis).join(', ')}`);
  }

  async function attempt(action: Action, effects: PassEffects, signal: AbortSignal): Promise<Outcome> {
    try {
      signal.throwIfAborted();
      fence.check();
      if (action.type === 'effect') return { writes: await runEffect(action, effects, signal) };
      const written = await perform(prepare(action), client(action.api), { signal, ...timeout });
      return { writes: written ? [written] : [] };
    } catch (error) {
      return { error };
    }
  }

  async function runEffect(action: EffectAction, { handlers, remember }: PassEffects, signal: AbortSignal): Promise<AcceptedWrite[]> {
    const handler = handlers[action.effect];
    if (!handler) throw new Error(`no handler for the effect "${action.effect}"; known: ${Object.keys(handlers).join(', ') || 'none'}`);
    const written = await handler(action.input, { runtime, signal, client, remember });
    return (written ?? []).map(awaited);
  }

  return {
    async execute(stages, effects, signal) {
      const succeeded: Action[] = [];
      const failures: ActionFailure[] = [];
      const writes: AcceptedWrite[] = [];
      for (const stage of stages) {
        const outcomes = await Promise.all(stage.map((action) => attempt(action, effects, signal)));
        for (const [i, outcome] of outcomes.entries()) {
          const action = stage[i] as Action;
          if ('error' in outcome) failures.push({ action, error: outcome.error });
          else succeeded.push(action);
          if ('writes' in outcome) writes.push(...outcome.writes);
        }
        if (failures.length > 0) break;
      }
      return { succeeded, failures, writes };
    },
  };
}

function awaited({ api, kind, object }: Written): AcceptedWrite {
  const { name = '', namespace, resourceVersion } = object.metadata;
  const key = namespace === undefined ? { name } : { name, namespace };
  return { api, kind, key, object, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}
