import { ApiError, type ApiRequest } from '@outrigger/core';
import { fieldError, invalidError, type FieldError } from '@outrigger/core/schema';
import { fieldsOf, isFields, numberOf, textOf } from '../registry/draft.js';
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

/** Reads the options from the body if there is one, and otherwise from the query, but never from both. */
export function deleteOptionsOf(request: ApiRequest): DeleteOptions {
  const options = isEmptyBody(request) ? fromQuery(new Query(request.query)) : fromBody(request);
  const errors = [
    ...validateDryRun(options.dryRunValues),
    ...validatePropagation(options.policy, options.orphan),
    ...validateGrace(options.gracePeriodSeconds),
  ];
  if (errors.length > 0) throw invalidError({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return {
    dryRun: options.dryRunValues.includes('All'),
    gracePeriodSeconds: options.gracePeriodSeconds,
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
  /** `orphanDependents`, the deprecated form of the propagation policy Orphan. */
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
    uid: undefined,
    resourceVersion: undefined,
  };
}

function fromBody(request: ApiRequest): RawOptions {
  const { value } = decodeBody(request, ['application/json', 'application/yaml', PROTOBUF]);
  if (!isFields(value)) throw new ApiError('BadRequest', 'the body of a delete must be DeleteOptions');
  if (value['kind'] !== undefined && value['kind'] !== 'DeleteOptions') {
    throw new ApiError('BadRequest', `decoded object cannot be converted to DeleteOptions: the object is a ${String(value['kind'])}`);
  }
  const preconditions = fieldsOf(value, 'preconditions');
  const dryRun = value['dryRun'];
  return {
    dryRunValues: Array.isArray(dryRun) ? dryRun.map(String) : [],
    gracePeriodSeconds: numberOf(value, 'gracePeriodSeconds'),
    policy: textOf(value, 'propagationPolicy'),
    orphan: typeof value['orphanDependents'] === 'boolean' ? value['orphanDependents'] : undefined,
    uid: textOf(preconditions, 'uid'),
    resourceVersion: textOf(preconditions, 'resourceVersion'),
  };
}

function validatePropagation(policy: string | undefined, orphan: boolean | undefined): FieldError[] {
  if (policy === undefined) return [];
  if (orphan !== undefined)
    return [fieldError.invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set')];
  return POLICIES.includes(policy)
    ? []
    : [fieldError.unsupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil'])];
}

function validateGrace(seconds: number | undefined): FieldError[] {
  return seconds === undefined || seconds >= 0
    ? []
    : [fieldError.invalid('gracePeriodSeconds', seconds, 'must be greater than or equal to 0')];
}
