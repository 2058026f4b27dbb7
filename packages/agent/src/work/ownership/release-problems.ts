/**
 * Errors of this process's attempts to remove objects of an applied work. The work reports them; each is dropped once its object is
 * removed.
 */
export class ReleaseProblems {
  /** By applied work, then by object. */
  readonly #byRecord = new Map<string, Map<string, string>>();

  failed(record: string, object: string, message: string): void {
    const problems = this.#byRecord.get(record) ?? new Map<string, string>();
    this.#byRecord.set(record, problems.set(object, message));
  }

  solved(record: string, object: string): void {
    const problems = this.#byRecord.get(record);
    problems?.delete(object);
    if (problems?.size === 0) this.#byRecord.delete(record);
  }

  forget(record: string): void {
    this.#byRecord.delete(record);
  }

  /** `<object>: <problem>` for each of these objects that has one, in their order. */
  of(record: string, objects: readonly string[]): readonly string[] {
    const problems = this.#byRecord.get(record);
    return objects.flatMap((object) => (problems?.has(object) ? [`${object}: ${problems.get(object)}`] : []));
  }
}
