/**
 * All side effects that a component may have. Components take the runtime as an argument and have no other side effects, so that the whole
 * system can run under a virtual clock with injected faults. Sockets are passed separately, as a `Transport`, and disks as a store.
 */
export interface Runtime {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly keys: Keys;
  readonly log: Logger;
  /** The lifetime of the process. After a crash, no task in this scope runs. */
  readonly scope: Scope;
}

export interface Clock {
  /**
   * Returns the wall time in milliseconds since the epoch. The wall clock may jump, so use it only for values that users and other machines
   * read.
   */
  now(): number;
  /**
   * Returns the time of the monotonic clock in milliseconds. This clock never jumps. Use it for durations and deadlines within one process.
   */
  monotonic(): number;
}

export interface Timers {
  /** Runs `task` once after `delayMs`, in a separate turn, unless it is cancelled or the scope has ended. */
  after(delayMs: number, task: () => void): Cancel;
  /** Resolves in a later turn, after pending timers and I/O callbacks. */
  yield(): Promise<void>;
  /** Resolves after `delayMs`. Rejects with the signal's reason if the signal is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export type Cancel = () => void;

export interface Random {
  /** Returns a uniformly distributed random number in [0, 1). */
  next(): number;
  bytes(length: number): Uint8Array;
  uuid(): string;
}

/**
 * Creates keys. Creating keys and signing are side effects, so that under the virtual runtime they are deterministic and finish in a
 * defined order.
 */
export interface Keys {
  generate(algorithm: 'P-256' | 'RSA-2048'): Promise<CryptoKeyPair>;
  /** The functions with which the X.509 code signs and verifies. */
  readonly subtle: SubtleCrypto;
}

export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}
/** The variable parts of a log line, whose message is constant. They must not contain secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Scope {
  readonly isCut: boolean;
  /** Aborted when the scope is cut or closed. */
  readonly signal: AbortSignal;
  /** Creates a child scope. The child ends when this scope ends, or when the child is closed. */
  child(name: string): Scope & { close(): void };
}
