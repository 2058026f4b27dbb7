/** Any value that survives a round trip through JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** An object whose members have not been checked. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** A mutable JSON value, for code that builds a value before sharing it. */
export type MutableJson = null | boolean | number | string | MutableJson[] | MutableJsonObject;
export interface MutableJsonObject {
  [key: string]: MutableJson | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, otherwise an object without members. */
export function objectOrEmpty(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Parses a JSON text. Returns undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the same value with the type JSON. The types of kinds are interfaces, which TypeScript does not accept as JSON because another
 * file could add members to them.
 */
export function asJson(value: readonly object[]): readonly JsonObject[];
export function asJson(value: object): JsonObject;
export function asJson(value: object): unknown {
  return value;
}
