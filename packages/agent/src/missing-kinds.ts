import type { Cancel, ObjectKey } from '@outrigger/core';
import type { Source, SourceContext, Trouble } from '@outrigger/kube';
import { CLUSTER } from './resources/apis.js';
import { nodes } from './resources/nodes.js';

/** The kinds that this agent needs but cannot read, for the status of the cluster. Each change wakes the key of the cluster. */
export class MissingKinds implements Source {
  readonly #key: ObjectKey;
  /** The errors by resource name; undefined for kinds that are optional on a cluster (claims, properties). */
  readonly #problems = new Map<string, string | undefined>();

  #wake: SourceContext['wake'] = () => undefined;

  constructor(key: ObjectKey) {
    this.#key = key;
  }

  start({ wake }: SourceContext): Cancel {
    this.#wake = wake;
    return () => undefined;
  }

  note({ resource, problem, controllers }: Trouble): void {
    const isNeeded = controllers.length > 0 || resource === nodes;
    if (problem === undefined) this.#problems.delete(resource.name);
    else this.#problems.set(resource.name, isNeeded ? describe({ resource, problem, controllers }) : undefined);
    this.#wake(this.#key);
  }

  has(resourceName: string): boolean {
    return this.#problems.has(resourceName);
  }

  /** Returns one sentence per kind, sorted. */
  list(): readonly string[] {
    return [...this.#problems.values()].filter((problem) => problem !== undefined).sort();
  }
}

function describe({ resource: { api, kind }, problem = '', controllers }: Trouble): string {
  const server = api === CLUSTER ? 'the managed cluster' : 'the hub';
  const name = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
  const waiting = controllers.length === 0 ? '' : ` (waiting: ${[...controllers].sort().join(', ')})`;
  return `${name} on ${server} cannot be read: ${problem}${waiting}`;
}
