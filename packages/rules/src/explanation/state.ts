import type { Verdict } from './chain.js';

/** For each verdict, the states that imply it. The headline of such a state does not repeat the verdict. */
const EXPLAINED = {
  available: ['available', 'degraded', 'unreachable'],
  waiting: ['waiting', 'progressing', 'unreachable'],
  blocked: ['blocked', 'failed'],
  unavailable: ['unavailable', 'unknown', 'unreachable'],
  removing: ['removing'],
  absent: ['absent'],
} as const;

/** The state of an add-on on a cluster: the word that the console and `outrigger why` show for it. */
export type AddOnState = (typeof EXPLAINED)[Verdict][number];

/**
 * The headline of an explanation: the state, with the verdict after it if the verdict says more. An add-on can be available and blocked at
 * the same time: it runs its old version, and a halted rollout does not admit its cluster to the new one.
 */
export function headlineOf({ state, verdict }: { readonly state: AddOnState; readonly verdict: Verdict }): string {
  const explained: readonly AddOnState[] = EXPLAINED[verdict];
  return explained.includes(state) ? state : `${state}, ${verdict}`;
}
