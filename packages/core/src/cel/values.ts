import type { CelDuration, CelTimestamp } from './time.js';

/**
 * The values during evaluation. An int is a bigint, a double is a number, and a list is an array. Maps and objects are read through
 * interfaces, so that only the parts of a large JSON object that an expression reads are converted.
 */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelMap
  | CelObject
  | CelOptional
  | CelTypeValue
  | CelOpaque
  | readonly CelValue[];

export type CelKey = string | bigint | boolean;

export class CelUint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A type as a value: the result of `type(x)`, and the value of a type's name. */
export class CelTypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** The base class of values that only functions can inspect. */
export abstract class CelOpaque {
  abstract readonly typeName: string;
  abstract equals(other: CelOpaque): boolean;
}

export class CelOptional {
  static readonly none: CelOptional = new CelOptional(undefined);
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A map. An int key and a uint key with the same number are the same key. */
export abstract class CelMap {
  abstract readonly size: number;
  abstract get(key: CelKey): CelValue | undefined;
  abstract keys(): CelKey[];
}

export class LiteralMap extends CelMap {
  readonly #entries: ReadonlyMap<CelKey, CelValue>;
  #keys: CelKey[] | undefined;
  constructor(entries: ReadonlyMap<CelKey, CelValue>) {
    super();
    this.#entries = entries;
  }
  get size(): number {
    return this.#entries.size;
  }
  get(key: CelKey): CelValue | undefined {
    return this.#entries.get(key);
  }
  keys(): CelKey[] {
    return (this.#keys ??= [...this.#entries.keys()]);
  }
}

type Convert = (raw: unknown) => CelValue;

/**
 * A JSON object as a map with string keys. Members that are undefined or inherited are treated as absent. Each key and member is converted
 * only once, because an expression may read the same member in each iteration of a loop, at a cost of only 1 per read.
 */
export class JsonMap extends CelMap {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly #convert: Convert;
  readonly #known = new Map<string, CelValue>();
  #keys: string[] | undefined;
  constructor(raw: Readonly<Record<string, unknown>>, convert: Convert) {
    super();
    this.raw = raw;
    this.#convert = convert;
  }
  /** Whether the members are converted as plain JSON, without a schema. */
  get isPlain(): boolean {
    return this.#convert === fromJson;
  }
  get size(): number {
    return this.keys().length;
  }
  get(key: CelKey): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#known.get(key);
    if (known !== undefined || !Object.hasOwn(this.raw, key)) return known;
    const raw = this.raw[key];
    if (raw === undefined) return undefined;
    const value = this.#convert(raw);
    this.#known.set(key, value);
    return value;
  }
  keys(): string[] {
    return (this.#keys ??= Object.keys(this.raw).filter((key) => this.raw[key] !== undefined));
  }
}

/** A field of a typed object: its name in expressions, its key in JSON, and the conversion of its value. */
export interface ObjectField {
  readonly key: string;
  readonly convert: Convert;
}

/** A JSON object that is read through a schema. Fields are converted once, as in JsonMap. */
export class CelObject {
  readonly typeName: string;
  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #fields: ReadonlyMap<string, ObjectField>;
  readonly #known = new Map<string, CelValue>();
  #keys: string[] | undefined;
  constructor(typeName: string, raw: Readonly<Record<string, unknown>>, fields: ReadonlyMap<string, ObjectField>) {
    this.typeName = typeName;
    this.#raw = raw;
    this.#fields = fields;
  }
  get(name: string): CelValue | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const field = this.#fields.get(name);
    if (field === undefined || !Object.hasOwn(this.#raw, field.key)) return undefined;
    const raw = this.#raw[field.key];
    if (raw === undefined) return undefined;
    const value = field.convert(raw);
    this.#known.set(name, value);
    return value;
  }
  /** Returns the names of the fields that are present. */
  keys(): string[] {
    return (this.#keys ??= [...this.#fields.keys()].filter((name) => this.get(name) !== undefined));
  }
}

const INT64_LIMIT = 2 ** 63;

/** Converts a JSON value without a schema. Whole numbers are ints, as in Go's unstructured objects. */
export function fromJson(raw: unknown): CelValue {
  switch (typeof raw) {
    case 'number':
      return Number.isInteger(raw) && Math.abs(raw) < INT64_LIMIT ? BigInt(raw) : raw;
    case 'string':
    case 'boolean':
    case 'bigint':
      return raw;
    case 'object':
      if (raw === null) return null;
      if (raw instanceof Uint8Array) return raw;
      return Array.isArray(raw) ? raw.map(fromJson) : new JsonMap(raw as Record<string, unknown>, fromJson);
    default:
      throw new Error(`a ${typeof raw} is no value for an expression`);
  }
}
