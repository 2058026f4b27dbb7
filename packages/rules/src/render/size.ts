import { type Json, isJsonObject } from '@outrigger/core';

/** Whether a value contains more than `limit` characters of text, including names. Stops counting at the limit, which bounds the cost. */
export function isLargerThan(value: Json, limit: number): boolean {
  let left = limit;
  const spend = (part: Json | undefined): boolean => {
    if (left < 0) return false;
    if (Array.isArray(part)) return (part as readonly Json[]).every(spend);
    if (isJsonObject(part)) return Object.entries(part).every(([name, member]) => spend(name) && spend(member));
    left -= typeof part === 'string' ? part.length + 1 : 1;
    return left >= 0;
  };
  return !spend(value);
}
