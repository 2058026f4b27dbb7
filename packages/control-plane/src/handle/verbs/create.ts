import { ApiError, type ApiResponse, type KubeObject } from '@outrigger/core';
import type { Draft } from '../../registry/draft.js';
import { cloneJson } from '../../request/json-value.js';
import { writeOptionsOf, type WriteOptions } from '../../request/write-options.js';
import { authorizeCreation } from '../authorize.js';
import type { RequestContext } from '../context.js';
import { alreadyExists, methodNotAllowed } from '../errors.js';
import { objectResponse } from '../responses/respond.js';
import { answerVirtual } from '../virtual.js';
import { admitMutating, admitValidating } from '../write/admission.js';
import { decodeDraft, decodeUnstored, pruneDraft } from '../write/decode.js';
import { applyDefaults } from '../write/defaults.js';
import { trackChange, type Tracking } from '../write/managed-fields.js';
import { assignNamespace, dedupeOwners, generatedName, stampCreated } from '../write/metadata.js';
import { assertNamespaceAccepts } from '../write/namespace.js';
import { assertStorable, keyFor, rehearse, save } from '../write/save.js';
import { finalizerWarnings, strategyContext, validateCreate } from '../write/validate.js';

const GENERATE_ATTEMPTS = 8;

export async function createObject(context: RequestContext): Promise<ApiResponse> {
  if (context.path.name !== '') throw methodNotAllowed();
  const options = writeOptionsOf(context.request, 'CreateOptions');
  if (context.resource.isVirtual) {
    const { group, version, kind } = context.resource;
    const sent = decodeUnstored(context, { group, version, kind, decoding: context.resource }, options.fieldValidation);
    return answerVirtual(context, sent, options);
  }
  const { draft, problems } = decodeDraft(context, context.resource);
  const pruned = pruneDraft(context, draft, problems, options.fieldValidation);
  return objectResponse(context, await create(context, pruned, options), 201);
}

/** Creates an object, for every request that can do so: a POST, or a PUT or apply for an object that does not exist. */
export async function create(context: RequestContext, draft: Draft, options: WriteOptions, tracking?: Tracking): Promise<KubeObject> {
  if ((draft.metadata.resourceVersion ?? '') !== '') {
    // A real server responds with code 500, although the caller made the error, and clients expect this.
    throw new ApiError('Unknown', 'resourceVersion should not be set on objects to be created', { code: 500 });
  }
  if (context.resource.isTerminating) {
    throw new ApiError('MethodNotAllowed', 'create not allowed while custom resource definition is terminating');
  }
  assignNamespace(context, draft);
  const wantsName = (draft.metadata.name ?? '') === '' && (draft.metadata.generateName ?? '') !== '';
  for (let attempt = 1; ; attempt++) {
    const ready = await prepare(context, wantsName ? cloneJson(draft) : draft, options, tracking);
    const created = options.dryRun ? await unlessTaken(context, ready) : await save(context, ready, 0);
    if (created) return created;
    if (!wantsName || attempt === GENERATE_ATTEMPTS) throw taken(context, ready.metadata.name ?? '');
  }
}

/** Generates the name of an object that has only generateName. It runs after admission, which may have set a name. */
function assignName(context: RequestContext, { metadata }: Draft): void {
  if ((metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '') {
    metadata.name = generatedName(context, metadata.generateName ?? '');
  }
}

async function prepare(context: RequestContext, sent: Draft, { dryRun, fieldManager }: WriteOptions, tracking?: Tracking): Promise<Draft> {
  const { strategy } = context.resource;
  assertStorable(sent);
  dedupeOwners(context, sent);
  assertNamespaceAccepts(context, sent);
  const defaulted = applyDefaults(context.resource, sent, tracking);
  const mutated = await admitMutating(context, { operation: 'CREATE', draft: defaulted, dryRun });
  const draft = mutated === defaulted ? defaulted : applyDefaults(context.resource, mutated, tracking);
  assignName(context, draft);
  if (context.resource.subresources.has('status')) delete draft['status'];
  // Record the field owners before `prepareForCreate` and without the changes of admission, because the field manager did not send the
  // fields that these steps add.
  const asked = mutated === defaulted ? draft : defaulted;
  const tracked = await trackChange(context, { draft, asked, old: undefined, manager: fieldManager, tracking });
  stampCreated(context, tracked);
  strategy.prepareForCreate?.(tracked, strategyContext(context));
  validateCreate(context, tracked);
  context.warnings.push(...finalizerWarnings(context, tracked, undefined), ...(strategy.warnings?.(tracked, undefined) ?? []));
  if (context.request.method !== 'POST') await authorizeCreation(context);
  await admitValidating(context, { operation: 'CREATE', draft: tracked, dryRun });
  return tracked;
}

async function unlessTaken(context: RequestContext, draft: Draft): Promise<KubeObject | undefined> {
  return context.server.store.get(keyFor(context, draft.metadata.name)) ? undefined : rehearse(context, draft);
}

/** Returns the AlreadyExists error. If the existing object is being deleted, the message reports it. */
function taken(context: RequestContext, name: string): ApiError {
  const error = alreadyExists(context.resource, name);
  const { deletionTimestamp } = context.server.store.get(keyFor(context, name))?.object.metadata ?? {};
  return deletionTimestamp === undefined
    ? error
    : new ApiError('AlreadyExists', `object is being deleted: ${error.message}`, { details: error.details ?? {} });
}
