/**
 * All effects a component may use. Components take it as an argument and use nothing else, so that the whole system can run under a virtual
 * clock with injected faults. Sockets are passed as a `Transport`, disks as a store.
 */
export interface Runtime {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly keys: Keys;
  readonly log: Logger;
  /** Cut by a crash: nothing that belongs to a cut scope ever runs again. */
  readonly scope: Scope;
}

export interface Clock {
  /** Wall time in milliseconds since the epoch. May jump; use it only for values that users and other machines read. */
  now(): number;
  /** Milliseconds that never jump: every duration and deadline inside one process. */
  monotonic(): number;
}

export interface Timers {
  /** Runs `task` once after `delayMs`, in a separate turn, unless it is cancelled or the scope has ended. */
  after(delayMs: number, task: () => void): Cancel;
  /** Resolves in a later turn, after pending timers and I/O callbacks. */
  yield(): Promise<void>;
  /** Resolves after `delayMs`; rejects with the signal's reason if aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export type Cancel = () => void;

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  bytes(length: number): Uint8Array;
  uuid(): string;
}

/** Keys and signatures are effects: under the virtual runtime they are deterministic and finish in a defined order. */
export interface Keys {
  generate(algorithm: 'P-256' | 'RSA-2048'): Promise<CryptoKeyPair>;
  /** Signs and verifies for the X.509 code. */
  readonly subtle: SubtleCrypto;
}

export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}
/** The variable parts of a log line; the message is constant. Never secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Scope {
  readonly isCut: boolean;
  /** Aborted when the scope is cut or closed. */
  readonly signal: AbortSignal;
  /** A scope that ends with this one, or can be closed earlier. */
  child(name: string): Scope & { close(): void };
}
