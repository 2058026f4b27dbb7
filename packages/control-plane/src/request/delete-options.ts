import { ApiError, type ApiRequest } from '@outrigger/core';
import { fieldError, invalidError, type FieldError } from '@outrigger/core/schema';
import { type Fields, isFields } from '../registry/draft.js';
import { decodeBody, isEmptyBody } from './body.js';
import { PROTOBUF } from '../protobuf/layout.js';
import { Query } from './query.js';
import { validateDryRun } from './write-options.js';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

const POLICIES: readonly string[] = ['Background', 'Foreground', 'Orphan'];

/** Reads the options, with preconditions, from the body if there is one, and otherwise from the query, but never from both. */
export function deleteOptionsOf(request: ApiRequest): DeleteOptions {
  const options = isEmptyBody(request) ? fromQuery(new Query(request.query)) : fromBody(request);
  const errors = [...validateDryRun(options.dryRunValues), ...validatePropagation(options.policy, options.orphan)];
  if (errors.length > 0) throw invalidError({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return {
    dryRun: options.dryRunValues.includes('All'),
    gracePeriodSeconds: graceOf(options.gracePeriodSeconds),
    propagation: (options.policy ?? (options.orphan === undefined ? undefined : options.orphan ? 'Orphan' : 'Background')) as
      | Propagation
      | undefined,
    uid: options.uid,
    resourceVersion: options.resourceVersion,
  };
}

interface RawOptions {
  readonly dryRunValues: readonly string[];
  readonly gracePeriodSeconds: number | undefined;
  readonly policy: string | undefined;
  /** The value of `orphanDependents`, the deprecated form of the propagation policy. True means Orphan, and false means Background. */
  readonly orphan: boolean | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

function fromQuery(query: Query): RawOptions {
  return {
    dryRunValues: query.all('dryRun'),
    gracePeriodSeconds: query.integer('gracePeriodSeconds'),
    policy: query.text('propagationPolicy'),
    orphan: query.has('orphanDependents') ? query.flag('orphanDependents') : undefined,
    uid: query.text('uid'),
    resourceVersion: query.text('resourceVersion'),
  };
}

function fromBody(request: ApiRequest): RawOptions {
  const { value } = decodeBody(request, ['application/json', 'application/yaml', PROTOBUF]);
  if (!isFields(value)) throw new ApiError('BadRequest', 'the body of a delete must be DeleteOptions');
  if (value['kind'] !== undefined && value['kind'] !== 'DeleteOptions') {
    throw new ApiError('BadRequest', `decoded object cannot be converted to DeleteOptions: the object is a ${String(value['kind'])}`);
  }
  const options = new TypedFields(value, 'DeleteOptions');
  const preconditions = new TypedFields(options.object('preconditions', 'v1.Preconditions'), 'Preconditions.preconditions');
  return {
    dryRunValues: options.texts('dryRun'),
    gracePeriodSeconds: options.integer('gracePeriodSeconds'),
    policy: options.text('propagationPolicy', 'v1.DeletionPropagation'),
    orphan: options.flag('orphanDependents'),
    uid: preconditions.text('uid', 'types.UID'),
    resourceVersion: preconditions.text('resourceVersion'),
  };
}

/**
 * Reads fields by type. A value of another type causes BadRequest: if a precondition or a dry run that cannot be read were treated as
 * absent, the request would delete an object that its sender wants to keep. Null is treated as absent.
 */
class TypedFields {
  readonly #fields: Fields;
  readonly #place: string;

  constructor(fields: Fields, place: string) {
    this.#fields = fields;
    this.#place = place;
  }

  text(name: string, type = 'string'): string | undefined {
    return this.#read(name, type, (value) => typeof value === 'string');
  }

  integer(name: string): number | undefined {
    return this.#read(name, 'int64', (value) => Number.isInteger(value));
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, 'bool', (value) => typeof value === 'boolean');
  }

  object(name: string, type: string): Fields {
    return this.#read<Fields>(name, type, isFields) ?? {};
  }

  texts(name: string): readonly string[] {
    const values = this.#read<readonly unknown[]>(name, '[]string', Array.isArray) ?? [];
    return values.map((value) => {
      if (value === null) return '';
      if (typeof value === 'string') return value;
      throw this.#unreadable(name, 'string', value);
    });
  }

  #read<T>(name: string, type: string, isOfType: (value: unknown) => boolean): T | undefined {
    const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (value === undefined || value === null) return undefined;
    if (!isOfType(value)) throw this.#unreadable(name, type, value);
    return value as T;
  }

  #unreadable(name: string, type: string, value: unknown): ApiError {
    const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return new ApiError('BadRequest', `json: cannot unmarshal ${found} into Go struct field ${this.#place}.${name} of type ${type}`);
  }
}

function validatePropagation(policy: string | undefined, orphan: boolean | undefined): FieldError[] {
  if (policy === undefined) return [];
  if (orphan !== undefined)
    return [fieldError.invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set')];
  return POLICIES.includes(policy)
    ? []
    : [fieldError.unsupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil'])];
}

/** A negative grace period is read as one second. */
function graceOf(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds < 0 ? 1 : seconds;
}
