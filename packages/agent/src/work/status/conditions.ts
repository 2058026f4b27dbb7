import { type Condition, type ConditionInput, setCondition } from '@outrigger/core';

/** The generation and instant conditions are written for. */
export interface At {
  readonly generation: number;
  readonly now: string;
}

/** Longer messages help nobody, and the API server refuses a status for one that is far too long. */
const MAX_MESSAGE = 4096;

export function withCondition(list: readonly Condition[], next: ConditionInput, at: At): readonly Condition[] {
  const message = next.message.length > MAX_MESSAGE ? `${next.message.slice(0, MAX_MESSAGE - 1)}…` : next.message;
  return setCondition(list, { ...next, message }, at);
}

/** Takes the old entry out first: the new one is last in the list and its time is now, whatever it says. */
export function withFreshCondition(list: readonly Condition[], next: ConditionInput, at: At): readonly Condition[] {
  return withCondition(
    list.filter(({ type }) => type !== next.type),
    next,
    at,
  );
}
