import { ApiError } from '../errors.js';
import { isJsonObject } from '../json.js';
import { deepEqual } from './equal.js';
import { setOwn } from './own.js';

const MAX_OPERATIONS = 10_000;
/**
 * The maximum number of characters that `copy` operations may add, as in the API server. Without this limit, repeated copies could grow the
 * document without bound.
 */
const MAX_COPIED_CHARACTERS = 3 * 1024 * 1024;

type Container = unknown[] | Record<string, unknown>;
type Operation = Readonly<Record<string, unknown>>;

/**
 * Applies a JSON patch (RFC 6902) completely or not at all. Returns a patched copy that shares unchanged parts, or throws and leaves
 * `document` unchanged. Errors have the API server's messages. As in the API server, `replace` may set a member that is absent, and
 * negative indices count from the end.
 */
export function jsonPatch<T = unknown>(document: unknown, patch: unknown): T {
  const patching = new Patching(document);
  for (const operation of decoded(patch)) patching.apply(operation);
  return patching.root as T;
}

function decoded(patch: unknown): readonly Operation[] {
  if (!Array.isArray(patch)) throw undecodable(patch, '[]handlers.jsonPatchOp');
  if (patch.length > MAX_OPERATIONS) {
    const words = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`;
    throw new ApiError('RequestEntityTooLarge', `Request entity too large: ${words}`);
  }
  for (const operation of patch) if (!isJsonObject(operation)) throw undecodable(operation, 'handlers.jsonPatchOp');
  return patch as readonly Operation[];
}

function undecodable(value: unknown, wanted: string): ApiError {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return new ApiError('BadRequest', `error decoding patch: json: cannot unmarshal ${found} into Go value of type ${wanted}`);
}

/**
 * Returns the API server's error for a patch that cannot be applied to the object: 422 without a reason. `cause` is the error in the patch.
 */
export function refused(problem: string): ApiError {
  return new ApiError('Invalid', 'the server rejected our request due to an error in our request', {
    details: {},
    cause: new Error(problem),
  });
}

const MISSING = 'missing value';
const BAD_INDEX = 'invalid index referenced';

class Patching {
  root: unknown;
  /** The containers that this patch created. These may be modified in place. Any other container is copied before it is modified. */
  readonly #owned = new WeakSet<object>();
  #copied = 0;

  constructor(document: unknown) {
    this.root = document;
  }

  apply(operation: Operation): void {
    switch (operation['op']) {
      case 'add':
        return this.#add(pointer(operation, 'path', 'add'), operation['value'] ?? null);
      case 'remove':
        return this.#remove(pointer(operation, 'path', 'remove'));
      case 'replace':
        return this.#replace(pointer(operation, 'path', 'replace'), operation['value'] ?? null);
      case 'move':
        return this.#move(pointer(operation, 'from', 'move'), pointer(operation, 'path', 'move'));
      case 'copy':
        return this.#copy(pointer(operation, 'from', 'copy'), pointer(operation, 'path', 'copy'));
      case 'test':
        return this.#test(pointer(operation, 'path', 'test'), operation['value'] ?? null);
      default:
        throw refused(`Unexpected kind: ${typeof operation['op'] === 'string' ? operation['op'] : 'unknown'}`);
    }
  }

  #add(path: string, value: unknown): void {
    const place = this.#find(path, true);
    if (!place) throw refused(`add operation does not apply: doc is missing path: "${path}": ${MISSING}`);
    attempt(() => insert(place, value), `error in add for path: '${path}'`);
  }

  #remove(path: string): void {
    const place = this.#find(path, true);
    if (!place) throw refused(`remove operation does not apply: doc is missing path: "${path}": ${MISSING}`);
    attempt(() => drop(place), `error in remove for path: '${path}'`);
  }

  #replace(path: string, value: unknown): void {
    if (path === '') {
      if (typeof value !== 'object' || value === null) throw refused('replace operation value must be object or array: %!w(<nil>)');
      this.root = value;
      return;
    }
    const place = this.#find(path, true);
    if (!place) throw refused(`replace operation does not apply: doc is missing path: ${path}: ${MISSING}`);
    const { container, key } = place;
    if (!Array.isArray(container)) return setOwn(container, key, value);
    const index = existingIndex(container, key);
    if (typeof index === 'string') throw refused(`replace operation does not apply: doc is missing key: ${path}: ${MISSING}`);
    container[index] = value;
  }

  #move(from: string, path: string): void {
    const source = this.#find(from, true);
    if (!source) throw refused(`move operation does not apply: doc is missing from path: ${from}: ${MISSING}`);
    const value = attempt(() => read(source), `error in move for path: '${source.key}'`);
    attempt(() => drop(source), `error in move for path: '${source.key}'`);
    const target = this.#find(path, true);
    if (!target) throw refused(`move operation does not apply: doc is missing destination path: ${path}: ${MISSING}`);
    attempt(() => insert(target, value ?? null), `error in move for path: '${path}'`);
  }

  #copy(from: string, path: string): void {
    const source = this.#find(from, false);
    if (!source) throw refused(`copy operation does not apply: doc is missing from path: ${from}: ${MISSING}`);
    const value = attempt(() => read(source), `error in copy for from: '${from}'`) ?? null;
    this.#copied += JSON.stringify(value).length;
    if (this.#copied > MAX_COPIED_CHARACTERS) throw refused(tooMuchCopied(this.#copied));
    // The copy and its source share containers. Mark these as not created by this patch, so that a later operation copies them instead of
    // changing them in place.
    this.#disown(value);
    const target = this.#find(path, true);
    if (!target) throw refused(`copy operation does not apply: doc is missing destination path: ${path}: ${MISSING}`);
    attempt(() => insert(target, value), 'error while adding value during copy');
  }

  #test(path: string, wanted: unknown): void {
    if (path === '') {
      if (!deepEqual(this.root, wanted)) throw refused(`testing value  failed: test failed`);
      return;
    }
    const place = this.#find(path, false);
    if (!place) throw refused(`test operation does not apply: is missing path: ${path}: ${MISSING}`);
    const found = attempt(() => read(place), `error in test for path: '${path}'`) ?? null;
    if (!deepEqual(found, wanted)) throw refused(`testing value ${path} failed: test failed`);
  }

  /**
   * Returns the container of the value that a pointer addresses, or undefined if the path does not exist. The container is writable if
   * `toChange` is true.
   */
  #find(path: string, toChange: boolean): Place | undefined {
    const tokens = path.split('/').slice(1).map(unescaped);
    const key = tokens.pop();
    if (key === undefined) return undefined;
    if (toChange) this.root = this.#own(this.root);
    let container = this.root;
    for (const token of tokens) {
      if (typeof container !== 'object' || container === null) return undefined;
      const slot = Array.isArray(container) ? existingIndex(container, token) : token;
      if (Array.isArray(container) && typeof slot === 'string') return undefined;
      container = this.#step(container as Container, slot, toChange);
    }
    return typeof container === 'object' && container !== null ? { container: container as Container, key } : undefined;
  }

  #step(container: Container, slot: string | number, toChange: boolean): unknown {
    if (!Object.hasOwn(container, slot)) return undefined;
    const inner = (container as Record<string | number, unknown>)[slot];
    if (!toChange) return inner;
    const own = this.#own(inner);
    if (own !== inner && Array.isArray(container)) container[slot as number] = own;
    else if (own !== inner) setOwn(container as Record<string, unknown>, slot as string, own);
    return own;
  }

  #own(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || this.#owned.has(value)) return value;
    const copy: Container = Array.isArray(value) ? value.slice() : { ...(value as Record<string, unknown>) };
    this.#owned.add(copy);
    return copy;
  }

  #disown(value: unknown): void {
    const pending = [value];
    while (pending.length > 0) {
      const next = pending.pop();
      // Skip containers that this patch did not create. None of their descendants was created by this patch, because the patch copies
      // containers from the root down.
      if (typeof next !== 'object' || next === null || !this.#owned.delete(next)) continue;
      for (const member of Object.values(next)) pending.push(member);
    }
  }
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

/** An error at one path. `attempt` adds the operation to which the path belongs. */
class PlaceError extends Error {}

function attempt<T>(action: () => T, context: string): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof PlaceError) throw refused(`${context}: ${error.message}`);
    throw error;
  }
}

function pointer(operation: Operation, field: 'path' | 'from', kind: string): string {
  const value = operation[field];
  if (typeof value === 'string') return value;
  const problem = field === 'path' && (kind === 'add' || kind === 'remove') ? MISSING : missingField(field);
  throw refused(`${kind} operation failed to decode ${field}: ${problem}`);
}

function missingField(field: 'path' | 'from'): string {
  return field === 'path' ? `operation missing path field: ${MISSING}` : `operation, missing from field: ${MISSING}`;
}

function unescaped(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;
}

/** Returns the index of an existing item, or the error in `key`. */
function existingIndex(list: readonly unknown[], key: string): number | string {
  const index = integer(key);
  if (index === undefined) return notANumber(key);
  const fromStart = index < 0 ? index + list.length : index;
  return fromStart >= 0 && fromStart < list.length ? fromStart : `Unable to access invalid index: ${index}: ${BAD_INDEX}`;
}

function integer(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

function notANumber(key: string): string {
  return `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
}

function read({ container, key }: Place): unknown {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  const index = existingIndex(container, key);
  if (typeof index === 'string') throw new PlaceError(index);
  return container[index];
}

function insert({ container, key }: Place, value: unknown): void {
  if (!Array.isArray(container)) return setOwn(container, key, value);
  if (key === '-') {
    container.push(value);
    return;
  }
  const index = integer(key);
  if (index === undefined) throw new PlaceError(`value was not a proper array index: '${key}': ${notANumber(key)}`);
  const size = container.length + 1;
  const fromStart = index < 0 ? index + size : index;
  if (fromStart < 0 || fromStart >= size) throw new PlaceError(`Unable to access invalid index: ${index}: ${BAD_INDEX}`);
  container.splice(fromStart, 0, value);
}

function drop({ container, key }: Place): void {
  if (!Array.isArray(container)) {
    if (!Object.hasOwn(container, key)) throw new PlaceError(`Unable to remove nonexistent key: ${key}: ${MISSING}`);
    delete container[key];
    return;
  }
  const index = existingIndex(container, key);
  if (typeof index === 'string') throw new PlaceError(index);
  container.splice(index, 1);
}

function tooMuchCopied(copied: number): string {
  return `Unable to complete the copy, the accumulated size increase of copy is ${copied}, exceeding the limit ${MAX_COPIED_CHARACTERS}`;
}
