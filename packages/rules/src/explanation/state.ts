import type { Verdict } from './chain.js';

/** The state of an add-on on a cluster: the word that the console and `outrigger why` show for it. */
export const ADD_ON_STATES = [
  'absent',
  'available',
  'degraded',
  'progressing',
  'waiting',
  'removing',
  'unknown',
  'unreachable',
  'unavailable',
  'blocked',
  'failed',
] as const;
export type AddOnState = (typeof ADD_ON_STATES)[number];

/** The states that a verdict explains completely. */
const EXPLAINED: Readonly<Record<Verdict, readonly AddOnState[]>> = {
  available: ['available', 'degraded', 'unreachable'],
  waiting: ['waiting', 'progressing', 'unreachable'],
  blocked: ['blocked', 'failed'],
  unavailable: ['unavailable', 'unknown', 'unreachable'],
  removing: ['removing'],
  absent: ['absent'],
};

/**
 * The headline of an explanation: the state, with the verdict after it if the verdict says more. An add-on can be available and blocked at
 * the same time: it runs its old version, and a halted rollout keeps it from the new one.
 */
export function headlineOf({ state, verdict }: { readonly state: AddOnState; readonly verdict: Verdict }): string {
  return EXPLAINED[verdict].includes(state) ? state : `${state}, ${verdict}`;
}
