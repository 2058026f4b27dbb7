import type { Manager } from './fleet.js';
import { managerPasses, managerRequests } from './manager-requests.js';

/** The resources that managers have used: requests by verb and resource, passes by controller, processor time, bytes sent and received. */
export interface ManagerUse {
  readonly requests: Readonly<Record<string, number>>;
  readonly passes: Readonly<Record<string, number>>;
  readonly cpuMs: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

export const NOTHING_USED: ManagerUse = { requests: {}, passes: {}, cpuMs: 0, bytesRead: 0, bytesWritten: 0 };

export async function useOf(manager: Manager): Promise<ManagerUse> {
  const requests = await managerRequests(manager.metricsPort);
  const passes = await managerPasses(manager.metricsPort);
  const { read, written } = manager.bytes();
  return { requests, passes, cpuMs: manager.cpuMs(), bytesRead: read, bytesWritten: written };
}

export function sumOfUse(a: ManagerUse, b: ManagerUse): ManagerUse {
  return combine(a, b, (one, other) => one + other);
}

/** Returns the resources that were used between two readings. */
export function useBetween(before: ManagerUse, after: ManagerUse): ManagerUse {
  const { requests, passes, ...rest } = combine(after, before, (later, earlier) => later - earlier);
  return { ...rest, requests: positive(requests), passes: positive(passes) };
}

function positive(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

function combine(a: ManagerUse, b: ManagerUse, of: (a: number, b: number) => number): ManagerUse {
  const each = (ofA: ManagerUse['requests'], ofB: ManagerUse['requests']): ManagerUse['requests'] =>
    Object.fromEntries([...new Set([...Object.keys(ofA), ...Object.keys(ofB)])].map((name) => [name, of(ofA[name] ?? 0, ofB[name] ?? 0)]));
  return {
    requests: each(a.requests, b.requests),
    passes: each(a.passes, b.passes),
    cpuMs: of(a.cpuMs, b.cpuMs),
    bytesRead: of(a.bytesRead, b.bytesRead),
    bytesWritten: of(a.bytesWritten, b.bytesWritten),
  };
}

/** Returns the number of requests by verb, for all resources together. */
export function byVerb(requests: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, count] of Object.entries(requests)) {
    const [verb = ''] = name.split(' ');
    found[verb] = (found[verb] ?? 0) + count;
  }
  return found;
}
