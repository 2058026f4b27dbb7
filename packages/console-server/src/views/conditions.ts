import type { Condition } from '@outrigger/core';
import type { ConditionItem } from '@outrigger/console-contract';

export function conditionItems(conditions: readonly Condition[] | undefined): readonly ConditionItem[] {
  return (conditions ?? []).map(({ type, status, reason, message, lastTransitionTime }) => ({
    type,
    status,
    reason,
    message,
    ...(lastTransitionTime === undefined ? {} : { since: lastTransitionTime }),
  }));
}
