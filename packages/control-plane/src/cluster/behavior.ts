import type { KubeObject } from '@outrigger/core';

/**
 * How a simulated workload behaves.
 * - `ready`: becomes ready after the usual delay; `slow`: after ten times this delay.
 * - `hang`: its pods never start; `crashloop`: they start and crash. Both eventually exceed the progress deadline.
 * - `fail`: fails permanently after the usual delay, without waiting for a deadline.
 */
export type Behavior = 'ready' | 'slow' | 'hang' | 'crashloop' | 'fail';

export const BEHAVIOR_ANNOTATION = 'sim.outrigger.dev/behavior';
/** The annotation that names a Lease in the workload's namespace. The simulation renews the Lease as an add-on's agent would. */
export const LEASE_ANNOTATION = 'sim.outrigger.dev/lease';

const BEHAVIORS: readonly string[] = ['ready', 'slow', 'hang', 'crashloop', 'fail'] satisfies Behavior[];

/** Returns the behavior set in the workload's annotation, or undefined if the value is unknown. */
export function annotatedBehavior({ metadata }: KubeObject): Behavior | undefined {
  const value = metadata.annotations?.[BEHAVIOR_ANNOTATION];
  return value !== undefined && BEHAVIORS.includes(value) ? (value as Behavior) : undefined;
}
