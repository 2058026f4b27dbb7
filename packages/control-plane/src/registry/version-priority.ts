import { compareText } from '@outrigger/core';

/**
 * Orders versions as clients prefer them: stable before beta before alpha, newer before older, and all other names last, in alphabetical
 * order.
 */
export function byPriority(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (left && right) return left.level - right.level || right.major - left.major || right.minor - left.minor;
  if (left) return -1;
  return right ? 1 : compareText(a, b);
}

const LEVELS: Readonly<Record<string, number>> = { beta: 1, alpha: 2 };

function parse(version: string): { readonly level: number; readonly major: number; readonly minor: number } | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return undefined;
  const [, major, level, minor] = match;
  return { level: level === undefined ? 0 : (LEVELS[level] ?? 0), major: Number(major), minor: Number(minor ?? 0) };
}
