import {
  ApiError,
  apiVersionOf,
  applyObject,
  compileLabelSelector,
  jsonPatch,
  mergePatch,
  type ApiResponse,
  type KubeObject,
} from '@outrigger/core';
import { fieldError, invalidError } from '@outrigger/core/schema';
import { builtinSchema } from '../registry/builtin-schemas.js';
import { SCALE_DECODING } from '../registry/decoding.js';
import { ageColumn, nameColumn } from '../registry/columns/common.js';
import type { Column, ScalePaths } from '../registry/resource.js';
import { fieldsOf, isFields, numberOf, type Draft, type MutableFields } from '../registry/draft.js';
import { contentTypeOf, decodeBody, NO_PROBLEMS } from '../request/body.js';
import type { FieldValidation } from '../request/field-validation.js';
import { cloneJson } from '../request/json-value.js';
import { writeOptionsOf } from '../request/write-options.js';
import type { Verb } from './contract.js';
import type { RequestContext } from './context.js';
import { internalError, methodNotAllowed } from './errors.js';
import { bodyResponse, plainResponse } from './responses/respond.js';
import { includeObjectOf, tableOf } from './responses/table.js';
import { objectOwners, scaleOwners } from './scale-owners.js';
import { stored } from './verbs/get.js';
import { uidConflict } from './verbs/update.js';
import type { AdmittedView } from './write/admission.js';
import { decodeApplied, isApply } from './write/decode-applied.js';
import { asDraft, badPatch, decodeUnstored, readUnstored, type UnstoredKind } from './write/decode.js';
import { ownershipOptions } from './write/managed-fields.js';
import { assertName, assertNamespace } from './write/metadata.js';
import { changeExisting, draftOf, type Change } from './write/update.js';

const SCALE: UnstoredKind = { group: 'autoscaling', version: 'v1', kind: 'Scale', decoding: SCALE_DECODING };
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/strategic-merge-patch+json'];

const COLUMNS: readonly Column[] = [
  nameColumn,
  { name: 'Desired', type: 'integer', value: (scale) => numberOf(fieldsOf(scale, 'spec'), 'replicas') ?? 0 },
  { name: 'Available', type: 'integer', value: (scale) => numberOf(fieldsOf(scale, 'status'), 'replicas') ?? 0 },
  ageColumn,
];

/** Handles requests for the subresource `scale`. A Scale has the same fields for every kind, so that clients need not know the kind. */
export async function answerScale(context: RequestContext, verb: Verb, paths: ScalePaths): Promise<ApiResponse> {
  if (verb === 'get') return scaleResponse(context, scaleOf(await stored(context), paths));
  if (verb !== 'update' && verb !== 'patch') throw methodNotAllowed();
  const admitted: AdmittedView = {
    kind: SCALE,
    show: (object) => scaleOf(object, paths),
    take: (draft, scale) => withReplicas(context, draft, computed(context, asDraft(cloneJson(scale), SCALE, { isCustom: false })), paths),
  };
  // A real server cannot apply a Scale of a custom kind.
  const isApplied = verb === 'patch' && isApply(context) && !context.resource.isCustom;
  const change = isApplied ? applyOf(context, paths) : changeOf(context, verb, paths);
  return scaleResponse(context, scaleOf(await changeExisting(context, { ...change, admitted }), paths));
}

/** Returns a response that contains a Scale or, for `kubectl get --subresource=scale`, its table. */
function scaleResponse(context: RequestContext, scale: KubeObject): ApiResponse {
  const { accepted, query, server } = context;
  if (accepted.as !== 'table') return plainResponse(context.request, scale);
  const options = { resource: { columns: COLUMNS }, includeObject: includeObjectOf(query), version: accepted.asVersion, hasColumns: true };
  const { resourceVersion = '' } = scale.metadata;
  return bodyResponse(tableOf([scale], { resourceVersion }, { ...options, now: server.runtime.clock.now() }), 200, accepted.contentType);
}

function changeOf(context: RequestContext, verb: 'update' | 'patch', paths: ScalePaths): Change {
  const options = writeOptionsOf(context.request, verb === 'patch' ? 'PatchOptions' : 'UpdateOptions');
  const { fieldValidation } = options;
  return {
    options,
    compute(old) {
      const scale =
        verb === 'patch' ? patched(context, scaleOf(old, paths), fieldValidation) : decodeUnstored(context, SCALE, fieldValidation);
      return withReplicas(context, draftOf(old), scale, paths);
    },
  };
}

function patched(context: RequestContext, old: KubeObject, level: FieldValidation): Draft {
  const { value, problems } = decodeBody(context.request, PATCH_TYPES);
  // A Scale has no lists, so a strategic merge patch is equivalent to a merge patch.
  const scale = contentTypeOf(context.request) === PATCH_TYPES[0] ? jsonPatch<object>(old, value) : mergePatch<object>(old, value);
  if (!isFields(scale)) throw new ApiError('BadRequest', 'the patch must leave an object');
  const draft = asDraft(cloneJson(scale), SCALE, { isCustom: false });
  return readUnstored(context, draft, { kind: SCALE, problems, level, refusal: (why) => badPatch(scale, why) });
}

/** A server-side apply of a Scale. The field manager of the apply becomes an owner of the object's number of replicas. */
function applyOf(context: RequestContext, paths: ScalePaths): Change {
  const { options, applied } = decodeApplied(context, SCALE);
  applied.metadata.name ??= context.path.name;
  return {
    options,
    tracking: 'computed',
    compute(old) {
      const live = scaleOf(old, paths);
      const outcome = applyObject<KubeObject>({
        ...ownershipOptions(context, options.fieldManager),
        apiVersion: apiVersionOf(SCALE),
        schema: builtinSchema(SCALE.group, SCALE.version, SCALE.kind),
        live: { ...live, metadata: { ...live.metadata, managedFields: scaleOwners(old) } },
        applied,
        force: options.force ?? false,
      });
      if (outcome.conflict) throw outcome.conflict;
      const scale = computed(context, cloneJson(outcome.object) as unknown as Draft);
      const draft = withReplicas(context, draftOf(old), scale, paths);
      draft.metadata.managedFields = objectOwners(old, outcome.managedFields);
      return draft;
    },
  };
}

const MAX_REPLICAS = 2 ** 31 - 1;

/**
 * Checks a Scale that an apply or a mutating webhook computed, as if it were a Scale in a request body, and returns it without unknown
 * fields. As on a real server, a value of the wrong type is an internal error, and a number of more than 32 bits is invalid.
 */
function computed(context: RequestContext, scale: Draft): Draft {
  const replicas = numberOf(fieldsOf(scale, 'spec'), 'replicas') ?? 0;
  if (Number.isInteger(replicas) && replicas > MAX_REPLICAS) throw invalidReplicas(context, replicas, `must be at most ${MAX_REPLICAS}`);
  return readUnstored(context, scale, { kind: SCALE, problems: NO_PROBLEMS, level: 'Ignore', refusal: (why) => internalError(why) });
}

function invalidReplicas({ path }: RequestContext, replicas: number, why: string): ApiError {
  return invalidError(SCALE, path.name, [fieldError.invalid('spec.replicas', replicas, why)]);
}

/** Returns the draft object with the number of replicas that a Scale sets. */
function withReplicas(context: RequestContext, draft: Draft, scale: Draft, { specReplicas }: ScalePaths): Draft {
  assertName(context, scale);
  assertNamespace(context, scale);
  const replicas = numberOf(fieldsOf(scale, 'spec'), 'replicas') ?? 0;
  if (replicas < 0) throw invalidReplicas(context, replicas, 'must be greater than or equal to 0');
  const { resourceVersion, uid } = scale.metadata;
  if (uid && uid !== draft.metadata.uid) throw uidConflict(context, uid, draft.metadata.uid);
  let parent: MutableFields = draft;
  for (const step of specReplicas.slice(0, -1)) {
    const next = isFields(parent[step]) ? parent[step] : {};
    parent[step] = next;
    parent = next;
  }
  parent[specReplicas.at(-1) ?? 'replicas'] = replicas;
  if (resourceVersion) draft.metadata.resourceVersion = resourceVersion;
  return draft;
}

function scaleOf(object: KubeObject, paths: ScalePaths): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = paths.labelSelector && selectorText(at(object, paths.labelSelector));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: numeric('replicas', at(object, paths.specReplicas)),
    status: { replicas: Number(at(object, paths.statusReplicas) ?? 0), ...(selector ? { selector } : {}) },
  } as KubeObject;
}

function numeric(name: string, value: unknown): object {
  return typeof value === 'number' && value !== 0 ? { [name]: value } : {};
}

function selectorText(selector: unknown): string | undefined {
  if (typeof selector === 'string') return selector;
  if (!isFields(selector)) return undefined;
  const isLabelSelector = 'matchLabels' in selector || 'matchExpressions' in selector;
  return compileLabelSelector(isLabelSelector ? selector : { matchLabels: selector as Record<string, string> }).toString();
}

function at(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => (isFields(value) && Object.hasOwn(value, step) ? value[step] : undefined), object);
}
