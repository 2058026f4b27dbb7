import type { ApiResponse } from '@outrigger/core';
import type { Draft } from '../registry/draft.js';
import { writeOptionsOf } from '../request/write-options.js';
import type { Verb } from './contract.js';
import type { RequestContext } from './context.js';
import { methodNotAllowed, noSuchResource, notFound } from './errors.js';
import { answerLog } from './pod-log.js';
import { answerScale } from './scale.js';
import { getObject, stored } from './verbs/get.js';
import { patchObject } from './verbs/patch.js';
import { updateObject } from './verbs/update.js';
import { answerVirtual } from './virtual.js';
import { decodeUnstored } from './write/decode.js';
import { assertName, assertNamespace } from './write/metadata.js';

/** Handles requests for subresources: status, scale, and those that only one kind has. */
export async function answerSubresource(context: RequestContext, verb: Verb): Promise<ApiResponse> {
  const { resource, path } = context;
  const subresource = resource.subresources.get(path.subresource);
  if (!subresource) throw resource.isCustom ? notFound(resource, path.name) : noSuchResource();
  if (!subresource.verbs.includes(verb)) throw methodNotAllowed();
  if (subresource.scale) return answerScale(context, verb, subresource.scale);
  if (verb === 'create') {
    const options = writeOptionsOf(context.request, 'CreateOptions');
    const { group, version, kind, decoding = resource } = subresource;
    const draft = decodeUnstored(context, { group, version, kind, decoding }, options.fieldValidation);
    assertSameObject(context, draft);
    return answerVirtual(context, draft, options, await stored(context));
  }
  if (path.subresource === 'log') return answerLog(context);
  if (verb === 'get') return getObject(context);
  return verb === 'update' ? updateObject(context) : patchObject(context);
}

/** Throws if a body names a different object than the path. The body of a subresource may omit the name and the namespace. */
function assertSameObject(context: RequestContext, draft: Draft): void {
  assertNamespace(context, draft);
  if ((draft.metadata.name ?? '') !== '') assertName(context, draft);
}
