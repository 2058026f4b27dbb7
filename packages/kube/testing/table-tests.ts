import { type KubeObject, keyOf, keyString, type ObjectKey, toTime } from '@outrigger/core';
import { Cache } from '../src/cache/cache.js';
import type { Controller, KeyMemory, Now, Outcomes, Refusal } from '../src/controller.js';
import type { Action, AnyDecision, Decision } from '../src/decision.js';
import type { CacheView, Resource } from '../src/resource.js';

/** Returns a cache with the projections of the given objects, without a watch. Objects need no uid or resourceVersion. */
export function viewOf(...kinds: readonly (readonly [Resource, readonly KubeObject[]])[]): CacheView {
  const cache = new Cache({
    changed: () => undefined,
    failed: (resource, key, error) => {
      throw new Error(`projecting ${resource.name} ${keyString(key)}`, { cause: error });
    },
  });
  for (const [resource, objects] of kinds) {
    const store = cache.add(resource);
    store.beginRelist();
    for (const object of objects) store.relistItem(withIdentity(object));
    store.endRelist('1');
  }
  return cache;
}

function withIdentity(object: KubeObject): KubeObject {
  const { uid = `uid-${keyString(keyOf(object))}`, resourceVersion = '1' } = object.metadata;
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
}

/** Returns the time of a pass at this wall time (in milliseconds) and this monotonic time. */
export function nowAt(wall: number, monotonic = 0): Now {
  return { wall, time: toTime(wall), monotonic };
}

/** Returns the outcomes that a pass observes after these error responses and successes. */
export function outcomesOf(
  refusals: readonly Pick<Refusal, 'id' | 'reason' | 'message'>[] = [],
  succeeded: readonly string[] = [],
  acceptedAt: Readonly<Record<string, number>> = {},
): KeyMemory<never> {
  return {
    remembered: undefined,
    refusal: (id) => {
      const found = refusals.find((refusal) => refusal.id === id);
      return found && { ...found, content: '', at: 0 };
    },
    hasSucceeded: (id) => succeeded.includes(id),
    acceptedAt: (id) => acceptedAt[id],
  };
}

/** Runs one pass of a controller over a view, without a runtime. Returns its decision, or undefined if `observe` returned undefined. */
export function passOf<State, Memory, Effects>(
  controller: Controller<State, Memory, Effects>,
  view: CacheView,
  key: ObjectKey,
  now: Now,
  outcomes: Outcomes = outcomesOf(),
  remembered?: Memory,
): Decision<Memory, Effects> | undefined {
  const state = controller.observe(view, key, { ...outcomes, remembered });
  return state === undefined ? undefined : controller.decide(state, now);
}

/** Formats an action for a table test, such as `create Child toy/a-1`. */
export function brief(action: Action): string {
  switch (action.type) {
    case 'effect':
      return `effect ${action.effect} ${action.id}`;
    case 'patch':
    case 'delete':
      return [
        action.type,
        'subresource' in action ? `${action.kind.kind}/${action.subresource}` : action.kind.kind,
        keyString(action.key),
      ].join(' ');
    case 'create':
    case 'apply':
    case 'replace':
      return [action.type, action.kind.kind, keyString(keyOf(action.object))].join(' ');
  }
}

/** Formats every action of a decision. Stages are separated by `;`. */
export function briefly(decision: AnyDecision): readonly string[] {
  return decision.stages.flatMap((stage, i) => [...(i > 0 ? [';'] : []), ...stage.map(brief)]);
}
