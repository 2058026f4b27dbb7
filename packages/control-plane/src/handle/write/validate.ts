import { ApiError, type KubeObject } from '@outrigger/core';
import { fieldError, invalidError, validateObjectMeta, type FieldError } from '@outrigger/core/schema';
import { asObject, type Draft, type Fields } from '../../registry/draft.js';
import type { Resource, StrategyContext } from '../../registry/resource.js';
import { storageKey, storagePrefix } from '../../store/key.js';
import type { RequestContext } from '../context.js';
import { badPatch, wrongType } from './decode.js';
import { nowOf } from './metadata.js';

export function strategyContext(context: RequestContext): StrategyContext {
  return {
    now: nowOf(context),
    identity: context.identity,
    random: () => context.server.runtime.random.next(),
    all: (group, plural) => context.server.store.range(storagePrefix({ group, plural })).entries.map(({ object }) => object),
    lookup: (group, plural, namespace, name) => context.server.store.get(storageKey({ group, plural, namespace, name }))?.object,
  };
}

/** Throws Invalid with all errors in a new object. */
export function validateCreate(context: RequestContext, draft: Draft): void {
  const { resource } = context;
  const errors = [
    ...validateObjectMeta(draft.metadata as Readonly<Record<string, unknown>>, metaRules(resource)),
    ...finalizerErrors(context, draft),
    ...schemaErrors(context, resource.schema().validate(draft), draft),
    ...(resource.strategy.validate?.(draft, strategyContext(context)) ?? []),
    ...(resource.strategy.validateSpec?.(draft) ?? []),
    ...(resource.strategy.validateCreate?.(draft) ?? []),
  ];
  refuse(context, draft, errors);
}

/** Like `validateCreate`, for an update. `subresource` is empty for the object itself. */
export function validateUpdate(context: RequestContext, draft: Draft, old: KubeObject, subresource: string): void {
  const { resource } = context;
  if ((draft.metadata.resourceVersion ?? '') === '') throw noResourceVersion(resource, nameOf(draft));
  const schema = resource.schema();
  const found = subresource === 'status' && resource.isCustom ? schema.validateStatus(draft, old) : schema.validate(draft, old);
  const errors = [
    ...validateObjectMeta(draft.metadata as Readonly<Record<string, unknown>>, metaRules(resource)),
    ...validateMetaUpdate(draft, old),
    ...finalizerErrors(context, draft),
    ...schemaErrors(context, found, draft),
    ...(resource.strategy.validate?.(draft, strategyContext(context)) ?? []),
    // Comparing the specs with `===` is enough: if the spec is unchanged, the draft refers to the same object as the stored one.
    ...(draft['spec'] === (old as unknown as Fields)['spec'] ? [] : (resource.strategy.validateSpec?.(draft) ?? [])),
    ...(resource.strategy.validateUpdate?.(draft, old, subresource) ?? []),
  ];
  refuse(context, draft, errors);
}

/** Throws Invalid with the distinct errors. The schema and a kind's own rules may report the same error. */
function refuse({ resource }: RequestContext, draft: Draft, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const unique = new Map(errors.map((error) => [`${error.type} ${error.field} ${error.detail}`, error]));
  throw invalidError(resource, nameOf(draft), [...unique.values()]);
}

function metaRules({ namespaced, strategy }: Resource) {
  const { validateName } = strategy;
  return validateName ? { namespaced, nameProblems: (name: string) => validateName(name, false) } : { namespaced };
}

function validateMetaUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const { metadata } = draft;
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (metadata[field] !== old.metadata[field])
      errors.push(fieldError.invalid(`metadata.${field}`, metadata[field], 'field is immutable'));
  }
  return [...errors, ...newFinalizersWhileDeleting(draft, old)];
}

/** The error for an update that must say which state it changes. A real server names the resource in it instead of the kind. */
function noResourceVersion({ group, plural }: Resource, name: string): ApiError {
  const error = fieldError.invalid('metadata.resourceVersion', 0, 'must be specified for an update');
  return invalidError({ group, kind: plural }, name, [error]);
}

function newFinalizersWhileDeleting({ metadata }: Draft, old: KubeObject): FieldError[] {
  if (metadata.deletionTimestamp === undefined) return [];
  const before = new Set(old.metadata.finalizers);
  const added = (metadata.finalizers ?? []).filter((name) => !before.has(name));
  if (added.length === 0) return [];
  const list = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [fieldError.forbidden('metadata.finalizers', detail)];
}

/**
 * Returns the errors that the schema found. A real server cannot decode a field of the wrong type, so for built-in kinds the error is
 * BadRequest instead of Invalid, and after a patch the error refers to the patch. In the lists of built-in kinds a real server accepts
 * duplicates, such as two variables of one name, except where a rule of the kind forbids them.
 */
function schemaErrors({ resource, request }: RequestContext, errors: readonly FieldError[], draft: Draft): readonly FieldError[] {
  if (resource.isCustom) return errors;
  const why = wrongType(errors);
  if (why === undefined) return errors.filter((error) => error.type !== 'Duplicate');
  const { kind, version } = resource;
  if (request.method === 'PATCH') throw badPatch(draft, why);
  throw new ApiError('BadRequest', `${draft.kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Checks the finalizers. For built-in kinds, unlike custom ones, each finalizer must be a standard name or fully qualified. */
function finalizerErrors({ resource }: RequestContext, { metadata }: Draft): FieldError[] {
  if (resource.isCustom) return [];
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return (metadata.finalizers ?? []).flatMap((name, i) =>
    name.includes('/') || STANDARD_FINALIZERS.has(name) ? [] : [fieldError.invalid(`metadata.finalizers[${i}]`, name, detail)],
  );
}

/** Returns a warning for each new finalizer of a custom resource that has no domain. Built-in kinds refuse such finalizers. */
export function finalizerWarnings({ resource }: RequestContext, { metadata }: Draft, old: KubeObject | undefined): readonly string[] {
  if (!resource.isCustom || metadata.finalizers === undefined) return [];
  const before = new Set(old?.metadata.finalizers ?? []);
  const advice = 'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
  return [...new Set(metadata.finalizers)]
    .filter((name) => !before.has(name) && !name.includes('/') && !STANDARD_FINALIZERS.has(name))
    .sort()
    .map((name) => `metadata.finalizers: ${JSON.stringify(name)}: ${advice}`);
}

export function nameOf(draft: Draft): string {
  const { name, generateName } = asObject(draft).metadata;
  return name ?? generateName ?? '';
}
