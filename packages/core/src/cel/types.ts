type SimpleKind = 'dyn' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'type' | 'timestamp' | 'duration';

/** The static type of an expression. `dyn` is checked at run time; `param` is a type parameter in a function's signature. */
export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly value: CelType }
  | { readonly kind: 'object'; readonly name: string; readonly fields: ReadonlyMap<string, CelType> }
  | { readonly kind: 'opaque'; readonly name: string }
  | { readonly kind: 'param'; readonly name: string };

export const DYN: CelType = { kind: 'dyn' };
export const BOOL: CelType = { kind: 'bool' };
export const INT: CelType = { kind: 'int' };
export const UINT: CelType = { kind: 'uint' };
export const DOUBLE: CelType = { kind: 'double' };
export const STRING: CelType = { kind: 'string' };
export const BYTES: CelType = { kind: 'bytes' };
export const NULL: CelType = { kind: 'null' };
export const TYPE: CelType = { kind: 'type' };
export const TIMESTAMP: CelType = { kind: 'timestamp' };
export const DURATION: CelType = { kind: 'duration' };
export const PARAM_A: CelType = { kind: 'param', name: 'A' };
export const PARAM_B: CelType = { kind: 'param', name: 'B' };

export function listOf(element: CelType): CelType {
  return { kind: 'list', element };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', key, value };
}

export function optionalOf(value: CelType): CelType {
  return { kind: 'optional', value };
}

/** Returns a type that only functions can inspect, such as `quantity`. */
export function opaque(name: string): CelType {
  return { kind: 'opaque', name };
}

const WIRE_NAMES: Readonly<Record<string, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  null: 'null_type',
};

/** Formats the type for error messages: `list(map(string, int))`. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${formatType(type.element)})`;
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case 'optional':
      return `optional_type(${formatType(type.value)})`;
    case 'object':
    case 'opaque':
    case 'param':
      return type.name;
    default:
      return WIRE_NAMES[type.kind] ?? type.kind;
  }
}

export type Bindings = Map<string, CelType>;

/** Whether a value of type `actual` may be used as `expected`. Also records the types to which type parameters are bound. */
export function isAssignable(expected: CelType, actual: CelType, bindings: Bindings = new Map()): boolean {
  if (expected.kind === 'param') return bind(expected.name, actual, bindings);
  if (expected.kind === 'dyn' || actual.kind === 'dyn' || actual.kind === 'param') return true;
  if (actual.kind === 'null') return acceptsNull(expected);
  if (expected.kind !== actual.kind) return false;
  switch (expected.kind) {
    case 'list':
      return actual.kind === 'list' && isAssignable(expected.element, actual.element, bindings);
    case 'map':
      return (
        actual.kind === 'map' && isAssignable(expected.key, actual.key, bindings) && isAssignable(expected.value, actual.value, bindings)
      );
    case 'optional':
      return actual.kind === 'optional' && isAssignable(expected.value, actual.value, bindings);
    case 'object':
    case 'opaque':
      return (actual.kind === 'object' || actual.kind === 'opaque') && expected.name === actual.name;
    default:
      return true;
  }
}

function bind(name: string, actual: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name);
  if (bound === undefined) {
    bindings.set(name, actual);
    return true;
  }
  const joined = join(bound, actual);
  if (joined === undefined) return false;
  bindings.set(name, joined);
  return true;
}

function acceptsNull(type: CelType): boolean {
  return ['null', 'object', 'opaque', 'optional', 'timestamp', 'duration'].includes(type.kind);
}

/** Returns the type of a value that is either `a` or `b`, or undefined if they have no common type. */
export function join(a: CelType, b: CelType): CelType | undefined {
  if (a.kind === 'dyn' || b.kind === 'dyn') return DYN;
  if (a.kind === 'list' && b.kind === 'list') return mapJoin(join(a.element, b.element), listOf);
  if (a.kind === 'optional' && b.kind === 'optional') return mapJoin(join(a.value, b.value), optionalOf);
  if (a.kind === 'map' && b.kind === 'map') {
    const key = join(a.key, b.key);
    return key && mapJoin(join(a.value, b.value), (value) => mapOf(key, value));
  }
  if (isAssignable(a, b)) return a;
  return isAssignable(b, a) ? b : undefined;
}

function mapJoin(joined: CelType | undefined, wrap: (type: CelType) => CelType): CelType | undefined {
  return joined && wrap(joined);
}

/** Replaces the type parameters in a result type with the types to which they are bound. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  switch (type.kind) {
    case 'param':
      return bindings.get(type.name) ?? DYN;
    case 'list':
      return listOf(substitute(type.element, bindings));
    case 'map':
      return mapOf(substitute(type.key, bindings), substitute(type.value, bindings));
    case 'optional':
      return optionalOf(substitute(type.value, bindings));
    default:
      return type;
  }
}
