import { decisionsEnforcedSince } from '@outrigger/api';
import type { Cancel, KubeObject, ObjectKey } from '@outrigger/core';
import { type CacheView, type Change, type Resource, type Source, type SourceContext, type Watch, watch } from '@outrigger/kube';
import { type AdmissionPolicyProjection, admissionBindings, admissionPolicies } from '../resources/admission-policies.js';
import { declarations } from '../resources/declarations.js';
import { policies } from '../resources/rollout-policies.js';

/**
 * Determines the time since which the API server has checked who writes RolloutApprovals. The fleet controller does not wait for the
 * result: it ignores approvals while the result is unknown, if the server does not serve admission policies, or if the manager may not read
 * them.
 */
export class DecisionEnforcement implements Source {
  #view: CacheView | undefined;

  start(context: SourceContext): Cancel {
    this.#view = context.view;
    const wakeAll = (): void => {
      for (const key of governedKeys(context.view)) context.wake(key);
    };
    const wake = ({ before, after }: Change<AdmissionPolicyProjection>, view: CacheView): Iterable<ObjectKey> =>
      before?.object || after?.object ? governedKeys(view) : [];
    const cancels = [admissionPolicies, admissionBindings].map((resource) => context.watch(watch(resource, wake) as Watch, wakeAll));
    return () => {
      for (const cancel of cancels) cancel();
    };
  }

  /**
   * The time, in milliseconds since the epoch, since which the API server has checked who writes RolloutApprovals; undefined if it does not
   * check.
   */
  readonly enforcedSince = (): number | undefined => {
    const view = this.#view;
    if (!view?.isComplete(admissionPolicies) || !view.isComplete(admissionBindings)) return undefined;
    return decisionsEnforcedSince(ours(view, admissionPolicies), ours(view, admissionBindings));
  };
}

function ours(view: CacheView, resource: Resource<AdmissionPolicyProjection>): readonly KubeObject[] {
  return Array.from(view.list(resource)).flatMap(({ object }) => object ?? []);
}

/** The declarations to wake; none if there is no RolloutPolicy. */
function governedKeys(view: CacheView): readonly ObjectKey[] {
  if (Array.from(view.list(policies)).length === 0) return [];
  return Array.from(view.list(declarations)).map(({ key }) => key);
}
