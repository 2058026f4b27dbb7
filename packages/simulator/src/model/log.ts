/** Objects as the API server stores them. The model is independent: it shares no types and no code with the hub. */
export interface Stored {
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** One accepted change, with the true time at which it was accepted. */
export interface LogEntry {
  readonly index: number;
  readonly at: number;
  readonly actor: string;
  readonly kind: string;
  readonly id: string;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
  /** The hub's pass that wrote the change; undefined for writes by users, agents and the garbage collector. */
  readonly pass: LoggedPass | undefined;
}

export interface LoggedPass {
  /** One incarnation of a process. A restart starts a new incarnation. */
  readonly process: string;
  readonly controller: string;
  readonly key: string;
  readonly at: number;
  /** The number of log entries that the pass had read, by kind. The checks use the state at that point. */
  readonly seen: Readonly<Record<string, number>>;
}

/** The input of the model. */
export interface Evidence {
  readonly initial: ReadonlyMap<string, ReadonlyMap<string, Stored>>;
  readonly log: readonly LogEntry[];
  /** The logs of the clusters' API servers, by cluster, for clusters that have one. */
  readonly clusters: ReadonlyMap<string, readonly LogEntry[]>;
  readonly hasFaults: boolean;
  /** Whether the wall clock of the hub was stepped, so that stored times differ from true times. */
  readonly hasClockSteps: boolean;
  /** Whether responses from the API server were lost. The hub may then not know when it last wrote. */
  readonly hasLostAnswers: boolean;
  readonly hasSettled: boolean;
  readonly idleRequests: readonly string[];
  readonly restartRequests: readonly string[];
  readonly defects: readonly string[];
  /** For each cluster, the works whose objects are on it at the end. */
  readonly onClusters: ReadonlyMap<string, readonly string[]>;
}

export interface Violation {
  readonly rule: string;
  readonly message: string;
  /** Position in the log; undefined for checks of the end state. */
  readonly index?: number;
}

interface Versioned {
  readonly from: number;
  /** The true time of the pass that decided the change, or of the write if no pass of the hub made it. */
  readonly decidedAt: number;
  /** The hub's pass that wrote the version; undefined for other writers and for objects that a run starts with. */
  readonly pass: LoggedPass | undefined;
  readonly object: Stored | undefined;
}

/** Every version of every object, from which the checks look up the state that a pass had read. */
export class ObjectHistory {
  readonly #versions = new Map<string, Map<string, Versioned[]>>();

  constructor(initial: Evidence['initial']) {
    for (const [kind, objects] of initial) {
      const known = new Map<string, Versioned[]>();
      for (const [id, object] of objects) known.set(id, [{ from: -1, decidedAt: 0, pass: undefined, object }]);
      this.#versions.set(kind, known);
    }
  }

  add({ kind, id, index, at, after, pass }: LogEntry): void {
    const known = this.#versions.get(kind) ?? new Map<string, Versioned[]>();
    this.#versions.set(kind, known);
    const versions = known.get(id) ?? [];
    known.set(id, versions);
    versions.push({ from: index, decidedAt: pass?.at ?? at, pass, object: after });
  }

  /** Returns the object after the first `count` log entries; without `count`, its current state. */
  get(kind: string, id: string, count: number = Number.POSITIVE_INFINITY): Stored | undefined {
    return newest(this.#versions.get(kind)?.get(id) ?? [], count)?.object;
  }

  list(kind: string, count: number = Number.POSITIVE_INFINITY): readonly Stored[] {
    const found: Stored[] = [];
    for (const versions of this.#versions.get(kind)?.values() ?? []) {
      const object = newest(versions, count)?.object;
      if (object) found.push(object);
    }
    return found;
  }

  /** All versions so far, oldest first. */
  versions(kind: string, id: string): readonly Versioned[] {
    return this.#versions.get(kind)?.get(id) ?? [];
  }

  /** Returns the version with which the object was created that exists after the first `count` log entries. */
  creation(kind: string, id: string, count: number = Number.POSITIVE_INFINITY): Versioned | undefined {
    const versions = this.versions(kind, id).filter(({ from }) => from < count);
    if (versions.at(-1)?.object === undefined) return undefined;
    return versions[versions.findLastIndex(({ object }) => object === undefined) + 1];
  }

  ids(kind: string): Iterable<string> {
    return this.#versions.get(kind)?.keys() ?? [];
  }
}

function newest(versions: readonly Versioned[], count: number): Versioned | undefined {
  for (let i = versions.length - 1; i >= 0; i--) {
    const version = versions[i] as Versioned;
    if (version.from < count) return version;
  }
  return undefined;
}
