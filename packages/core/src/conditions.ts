import { clipText } from './clip-text.js';
import type { Condition, ConditionStatus } from './meta.js';

export type ConditionInput = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;

/**
 * The maximum length of a condition's message in the schemas of Kubernetes. If one message is longer, an API server rejects the whole
 * status. One long message of another program would therefore block every later write of the status.
 */
const MAX_MESSAGE = 32_768;

/**
 * Sets a condition. Shortens its message if it is too long. Returns `list` itself if nothing changed, so that callers can compare with
 * `===` and skip the write.
 */
export function setCondition(
  list: readonly Condition[],
  input: ConditionInput,
  at: { readonly generation: number; readonly now: string; readonly moveOnReason?: boolean },
): readonly Condition[] {
  const next: ConditionInput = { ...input, message: clipText(input.message, MAX_MESSAGE) };
  const old = list.find((c) => c.type === next.type);
  const same = old?.status === next.status && old.reason === next.reason && old.message === next.message;
  if (same && old.observedGeneration === at.generation) return list;
  // A change of status sets lastTransitionTime. With `moveOnReason`, a change of reason also sets it. This is for conditions whose reason
  // names a phase and whose time is the start of that phase.
  const still = old?.status === next.status && (!at.moveOnReason || old.reason === next.reason);
  const lastTransitionTime = still ? old.lastTransitionTime : at.now;
  const entry: Condition = { ...next, lastTransitionTime, observedGeneration: at.generation };
  return old ? list.map((c) => (c === old ? entry : c)) : [...list, entry];
}

export function removeCondition(list: readonly Condition[], type: string): readonly Condition[] {
  return list.some((c) => c.type === type) ? list.filter((c) => c.type !== type) : list;
}

export function findCondition(list: readonly Condition[] | undefined, type: string): Condition | undefined {
  return list?.find((c) => c.type === type);
}

export function conditionStatus(list: readonly Condition[] | undefined, type: string): ConditionStatus | undefined {
  return findCondition(list, type)?.status;
}

export function isConditionTrue(list: readonly Condition[] | undefined, type: string): boolean {
  return conditionStatus(list, type) === 'True';
}
