import { type Cancel, type ObjectKey, keyString } from '@outrigger/core';
import type { Source, SourceContext } from '@outrigger/kube';

/**
 * Problems with add-ons' certificate requests that this process could not approve or sign. The registration controller finds them. The
 * add-on controller reports them, because it is the only writer of the add-on's conditions. This class is a source of the add-on
 * controller, so each change wakes the add-on.
 */
export class RequestProblems implements Source {
  #wake: SourceContext['wake'] = () => undefined;
  readonly #byRequest = new Map<string, { readonly addOn: ObjectKey; readonly message: string }>();
  readonly #byAddOn = new Map<string, Set<string>>();

  start({ wake }: SourceContext): Cancel {
    this.#wake = wake;
    return () => undefined;
  }

  /** The problem with a request, if there is one. */
  get(request: string): string | undefined {
    return this.#byRequest.get(request)?.message;
  }

  /** The problems with the requests of an add-on, sorted by the names of the requests. */
  of(addOn: ObjectKey): readonly string[] {
    return [...(this.#byAddOn.get(keyString(addOn)) ?? [])].sort().flatMap((request) => this.get(request) ?? []);
  }

  report(request: string, addOn: ObjectKey, message: string): void {
    const id = keyString(addOn);
    this.#byRequest.set(request, { addOn, message });
    this.#byAddOn.set(id, (this.#byAddOn.get(id) ?? new Set()).add(request));
    this.#wake(addOn);
  }

  forget(request: string): void {
    const problem = this.#byRequest.get(request);
    if (!problem) return;
    const id = keyString(problem.addOn);
    const requests = this.#byAddOn.get(id);
    this.#byRequest.delete(request);
    requests?.delete(request);
    if (requests?.size === 0) this.#byAddOn.delete(id);
    this.#wake(problem.addOn);
  }
}
