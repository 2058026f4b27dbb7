import { type Condition, type ConditionInput, clipText, setCondition } from '@outrigger/core';

/** The generation and time with which conditions are written. */
export interface At {
  readonly generation: number;
  readonly now: string;
}

/**
 * The maximum length of a message. Longer messages are not useful, and the API server rejects a status with a message that is far too long.
 */
const MAX_MESSAGE = 4096;

export function withCondition(list: readonly Condition[], next: ConditionInput, at: At): readonly Condition[] {
  return setCondition(list, { ...next, message: clipText(next.message, MAX_MESSAGE) }, at);
}

/**
 * Sets a condition. It removes the old entry first, so that the new one is last in the list and has the current time, even if its content
 * is unchanged.
 */
export function withFreshCondition(list: readonly Condition[], next: ConditionInput, at: At): readonly Condition[] {
  return withCondition(
    list.filter(({ type }) => type !== next.type),
    next,
    at,
  );
}
