/** Thrown for an expression that cannot be compiled. The message contains the error and its position, as in the API server's messages. */
export class CelCompileError extends Error {
  override readonly name = 'CelCompileError';

  constructor(message: string, source: string, offset: number, options?: ErrorOptions) {
    super(describe(message, source, offset), options);
  }
}

/** Thrown if an evaluation fails, for example because of a missing key, an overflow or a division by zero. */
export class CelEvaluationError extends Error {
  override readonly name = 'CelEvaluationError';
}

/** Thrown if an expression exceeds its cost limit. `||`, `&&`, `all` and `exists` never absorb this error. */
export class CelBudgetError extends Error {
  override readonly name = 'CelBudgetError';
}

const SHOWN_LENGTH = 100;

/** Shortens a string for a message, because messages appear in conditions and responses. */
export function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text);
}

function describe(message: string, source: string, offset: number): string {
  const before = source.slice(0, offset).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = source.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
