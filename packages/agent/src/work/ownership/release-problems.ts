import type { Cancel } from '@outrigger/core';
import type { Source, SourceContext } from '@outrigger/kube';

/**
 * Errors from this process's attempts to remove objects of an applied work. The controllers of works and of applied works both remove
 * objects. The work reports the errors, so each change wakes the key of the work.
 */
export class ReleaseProblems implements Source {
  readonly #clusterName: string;
  /** The error messages, keyed by applied work and then by object. */
  readonly #byAppliedWork = new Map<string, Map<string, string>>();
  #wake: SourceContext['wake'] = () => undefined;

  constructor(clusterName: string) {
    this.#clusterName = clusterName;
  }

  start({ wake }: SourceContext): Cancel {
    this.#wake = wake;
    return () => undefined;
  }

  /** Records the outcome of one attempt. `message` is undefined if the object was removed. */
  record(
    { appliedWork, work }: { readonly appliedWork: string; readonly work: string },
    object: string,
    message: string | undefined,
  ): void {
    const problems = this.#byAppliedWork.get(appliedWork) ?? new Map<string, string>();
    if (problems.get(object) === message) return;
    if (message === undefined) problems.delete(object);
    else problems.set(object, message);
    if (problems.size === 0) this.#byAppliedWork.delete(appliedWork);
    else this.#byAppliedWork.set(appliedWork, problems);
    this.#wake({ namespace: this.#clusterName, name: work });
  }

  drop(appliedWork: string): void {
    this.#byAppliedWork.delete(appliedWork);
  }

  /** Returns `<object>: <error>` for each of the given objects that has an error, in the given order. */
  of(appliedWork: string, objects: readonly string[]): readonly string[] {
    const problems = this.#byAppliedWork.get(appliedWork);
    return objects.flatMap((object) => (problems?.has(object) ? [`${object}: ${problems.get(object)}`] : []));
  }
}
