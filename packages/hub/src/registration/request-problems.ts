import { type ObjectKey, keyString } from '@outrigger/core';

/**
 * Certificate requests of add-ons that could not be approved or signed, as far as this process has tried: found out by the controller of
 * requests, told on the add-on by the only writer of its conditions.
 */
export class RequestProblems {
  readonly #changed: (addOn: ObjectKey) => void;
  readonly #byRequest = new Map<string, { readonly addOn: ObjectKey; readonly message: string }>();
  readonly #byAddOn = new Map<string, Set<string>>();

  /** `changed` has the add-on looked at again. */
  constructor(changed: (addOn: ObjectKey) => void) {
    this.#changed = changed;
  }

  /** What is told about a request; undefined where nothing is. */
  get(request: string): string | undefined {
    return this.#byRequest.get(request)?.message;
  }

  /** What is told about the requests of an add-on, in the order of their names. */
  of(addOn: ObjectKey): readonly string[] {
    return [...(this.#byAddOn.get(keyString(addOn)) ?? [])].sort().flatMap((request) => this.get(request) ?? []);
  }

  tell(request: string, addOn: ObjectKey, message: string): void {
    const id = keyString(addOn);
    this.#byRequest.set(request, { addOn, message });
    this.#byAddOn.set(id, (this.#byAddOn.get(id) ?? new Set()).add(request));
    this.#changed(addOn);
  }

  forget(request: string): void {
    const problem = this.#byRequest.get(request);
    if (!problem) return;
    const id = keyString(problem.addOn);
    const requests = this.#byAddOn.get(id);
    this.#byRequest.delete(request);
    requests?.delete(request);
    if (requests?.size === 0) this.#byAddOn.delete(id);
    this.#changed(problem.addOn);
  }
}
