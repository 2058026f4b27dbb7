import type { KubeObject } from '@outrigger/core';

/**
 * How a simulated workload behaves.
 * - `ready`: becomes ready after the usual delay; `slow`: after ten times this delay.
 * - `hang`: its pods never start; `crashloop`: they start and crash. Both eventually exceed the progress deadline.
 * - `fail`: fails permanently after the usual delay, without waiting for a deadline.
 */
export type Behavior = 'ready' | 'slow' | 'hang' | 'crashloop' | 'fail';

export const BEHAVIOR_ANNOTATION = 'sim.outrigger.dev/behavior';
/** The annotation with the name of the Lease that an add-on's agent in this workload would renew, in the workload's namespace. */
export const LEASE_ANNOTATION = 'sim.outrigger.dev/lease';

const BEHAVIORS: readonly string[] = ['ready', 'slow', 'hang', 'crashloop', 'fail'] satisfies Behavior[];

/** The behavior set in the workload's annotation; undefined for an unknown value. */
export function annotatedBehavior({ metadata }: KubeObject): Behavior | undefined {
  const value = metadata.annotations?.[BEHAVIOR_ANNOTATION];
  return value !== undefined && BEHAVIORS.includes(value) ? (value as Behavior) : undefined;
}
