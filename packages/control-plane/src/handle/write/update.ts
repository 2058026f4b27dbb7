import { ApiError, deepEqual, deepFreeze, type KubeObject, type ObjectMeta } from '@outrigger/core';
import { asObject, isFields, type Draft } from '../../registry/draft.js';
import type { Resource } from '../../registry/resource.js';
import { cloneJson } from '../../request/json-value.js';
import type { WriteOptions } from '../../request/write-options.js';
import type { RequestContext } from '../context.js';
import { badResourceVersion, conflict, MODIFIED, notFound } from '../errors.js';
import { isFinished } from './finalizers.js';
import { admitMutating, admitValidating, type AdmittedView } from './admission.js';
import { applyDefaults } from './defaults.js';
import { nextGeneration } from './generation.js';
import { trackChange, type Tracking } from './managed-fields.js';
import { assignNamespace, assertName, dedupeOwners, keepSystemFields } from './metadata.js';
import { assertStorable, keyFor, rehearse, remove, save, shown } from './save.js';
import { shareUnchanged } from './share.js';
import { keepOtherParts } from './subresource-parts.js';
import { finalizerWarnings, strategyContext, validateUpdate } from './validate.js';

/** The maximum number of attempts to update an object while concurrent writes interfere. After that the server returns ServerTimeout. */
const MAX_ATTEMPTS = 100;

export interface Change {
  /**
   * Computes the desired state from the stored state. Returns a private draft that the pipeline may change. It is called again after a
   * conflict.
   */
  readonly compute: (old: KubeObject) => Draft | Promise<Draft>;
  readonly options: WriteOptions;
  readonly tracking?: Tracking;
  /** The view of the object that admission receives, for a write through a subresource of another kind. */
  readonly admitted?: AdmittedView;
}

/**
 * Reads the stored object, computes and checks the new state, and writes it. If a concurrent write interferes, all steps are repeated.
 * Every change to a stored object uses this function.
 */
export async function changeExisting(context: RequestContext, change: Change): Promise<KubeObject> {
  const { resource, server } = context;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const entry = server.store.get(keyFor(context));
    if (!entry) throw notFound(resource, context.path.name);
    const old = await shown(resource, entry.object);
    const draft = await change.compute(old);
    assertVersion(context, draft, old);
    const ready = await prepare(context, draft, old, change);
    if (isUnchanged(ready, old)) return old;
    if (change.options.dryRun) return rehearse(context, ready);
    if (isFinished(resource, asObject(ready))) {
      if (await remove(context, entry)) return deepFreeze(asObject(ready));
    } else {
      const written = await save(context, ready, entry.revision);
      if (written) return written;
    }
  }
  throw new ApiError('ServerTimeout', `${resource.plural} "${context.path.name}" changes too often to be updated; try again`);
}

/**
 * Throws Conflict if the caller specifies a resourceVersion other than the current one. Sets the current resourceVersion in a draft without
 * a resourceVersion if the kind allows unconditional updates; otherwise validation refuses the draft.
 */
function assertVersion({ resource, path }: RequestContext, draft: Draft, old: KubeObject): void {
  const { resourceVersion = '' } = draft.metadata;
  const current = old.metadata.resourceVersion ?? '';
  if (resourceVersion === current) return;
  // A resourceVersion that consists of zeros counts as absent.
  if (/^0*$/.test(resourceVersion)) {
    draft.metadata.resourceVersion = resource.strategy.allowUnconditionalUpdate ? current : '';
  } else if (/^\d+$/.test(resourceVersion)) {
    throw conflict(resource, path.name, MODIFIED);
  } else {
    throw badResourceVersion(resourceVersion);
  }
}

async function prepare(context: RequestContext, sent: Draft, old: KubeObject, change: Change): Promise<Draft> {
  const { resource, path } = context;
  const { dryRun, fieldManager } = change.options;
  assertStorable(sent);
  dedupeOwners(context, sent);
  assertName(context, sent);
  assignNamespace(context, sent);
  const defaulted = applyDefaults(resource, sent, change.tracking);
  const view = change.admitted;
  const mutated = await admitMutating(context, { operation: 'UPDATE', draft: defaulted, old, dryRun, view });
  const draft = mutated === defaulted ? defaulted : applyDefaults(resource, mutated, change.tracking);
  keepSystemFields(draft, old);
  keepOtherParts(resource, draft, old, path.subresource);
  resource.strategy.prepareForUpdate?.(draft, old, path.subresource, strategyContext(context));
  shareUnchanged(draft, old);
  nextGeneration(resource, draft, old, path.subresource);
  const asked = mutated === defaulted ? draft : defaulted;
  const tracked = await trackChange(context, { draft, asked, old, manager: fieldManager, tracking: change.tracking });
  validateUpdate(context, tracked, old, path.subresource);
  context.warnings.push(...finalizerWarnings(context, tracked, old), ...(resource.strategy.warnings?.(tracked, old) ?? []));
  await admitValidating(context, { operation: 'UPDATE', draft: tracked, old, dryRun, view });
  return tracked;
}

/** Whether the write leaves the object unchanged. Times in managedFields are ignored. */
function isUnchanged(draft: Draft, old: KubeObject): boolean {
  const { metadata, ...rest } = asObject(draft);
  const { metadata: oldMetadata, ...oldRest } = old;
  return deepEqual(rest, oldRest) && deepEqual(withoutTimes(metadata), withoutTimes(oldMetadata));
}

function withoutTimes(metadata: ObjectMeta): ObjectMeta {
  const { managedFields } = metadata;
  return managedFields ? { ...metadata, managedFields: managedFields.map(({ time: _, ...entry }) => entry) } : metadata;
}

/**
 * Returns a copy that a write to this resource may change. The strategies of built-in kinds change nested parts in place, so these are
 * copied deeply; for custom kinds only members of the object and of its metadata change.
 */
export function privateCopy<T extends object>({ isCustom }: Resource, object: T): T {
  if (!isCustom) return cloneJson(object);
  const { metadata } = object as { readonly metadata?: unknown };
  return { ...object, ...(isFields(metadata) ? { metadata: { ...metadata } } : {}) };
}

/** Returns a private copy that the caller may change. */
export function draftOf(object: KubeObject): Draft {
  return cloneJson(object) as unknown as Draft;
}
