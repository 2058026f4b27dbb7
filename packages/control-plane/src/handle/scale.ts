import { ApiError, compileLabelSelector, jsonPatch, mergePatch, type ApiResponse, type KubeObject } from '@outrigger/core';
import { fieldError, invalidError } from '@outrigger/core/schema';
import type { ScalePaths } from '../registry/resource.js';
import { fieldsOf, isFields, numberOf, type Draft, type MutableFields } from '../registry/draft.js';
import { contentTypeOf, decodeBody } from '../request/body.js';
import { cloneJson } from '../request/json-value.js';
import { writeOptionsOf } from '../request/write-options.js';
import type { Verb } from './contract.js';
import type { RequestContext } from './context.js';
import { methodNotAllowed } from './errors.js';
import { plainResponse } from './responses/respond.js';
import { stored } from './verbs/get.js';
import { asDraft, objectTypes } from './write/decode.js';
import { changeExisting, draftOf } from './write/update.js';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/strategic-merge-patch+json'];

/** Handles requests for the subresource `scale`. A Scale has the same fields for every kind, so that clients need not know the kind. */
export async function answerScale(context: RequestContext, verb: Verb, paths: ScalePaths): Promise<ApiResponse> {
  if (verb === 'get') return plainResponse(context.request, scaleOf(await stored(context), paths));
  if (verb !== 'update' && verb !== 'patch') throw methodNotAllowed();
  const options = writeOptionsOf(context.request, verb === 'patch' ? 'PatchOptions' : 'UpdateOptions');
  const updated = await changeExisting(context, {
    options,
    admitted: {
      kind: SCALE,
      show: (object) => scaleOf(object, paths),
      take: (draft, scale) => withReplicas(context, draft, scale, paths),
    },
    compute(old) {
      const scale =
        verb === 'patch' ? patched(context, scaleOf(old, paths)) : decodeBody(context.request, objectTypes(context.resource)).value;
      return withReplicas(context, draftOf(old), scale, paths);
    },
  });
  return plainResponse(context.request, scaleOf(updated, paths));
}

function patched({ request }: RequestContext, scale: object): unknown {
  const { value } = decodeBody(request, PATCH_TYPES);
  // A Scale has no lists, so a strategic merge patch is equivalent to a merge patch.
  return contentTypeOf(request) === PATCH_TYPES[0] ? jsonPatch(scale, value) : mergePatch(scale, value);
}

/** Returns the draft object with the number of replicas that a Scale sets. */
function withReplicas(context: RequestContext, draft: Draft, sent: unknown, { specReplicas }: ScalePaths): Draft {
  if (!isFields(sent)) throw new ApiError('BadRequest', 'the body must be a Scale');
  const scale = asDraft(cloneJson(sent), SCALE, { isCustom: false });
  const replicas = numberOf(fieldsOf(scale, 'spec'), 'replicas') ?? 0;
  if (replicas < 0 || !Number.isInteger(replicas)) {
    const errors = [fieldError.invalid('spec.replicas', replicas, 'must be greater than or equal to 0')];
    throw invalidError(SCALE, context.path.name, errors);
  }
  let parent: MutableFields = draft;
  for (const step of specReplicas.slice(0, -1)) {
    const next = isFields(parent[step]) ? parent[step] : {};
    parent[step] = next;
    parent = next;
  }
  parent[specReplicas.at(-1) ?? 'replicas'] = replicas;
  const { resourceVersion } = scale.metadata;
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
