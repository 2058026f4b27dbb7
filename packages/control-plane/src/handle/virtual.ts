import { ApiError, deepFreeze, type ApiResponse, type KubeObject } from '@outrigger/core';
import { asObject, type Draft } from '../registry/draft.js';
import type { WriteOptions } from '../request/write-options.js';
import type { RequestContext } from './context.js';
import { objectResponse } from './responses/respond.js';
import { admitMutating, admitValidating } from './write/admission.js';

/** Passes a create request for a kind that is never stored to the handler of that kind. */
export async function answerVirtual(
  context: RequestContext,
  draft: Draft,
  options: WriteOptions,
  parent?: KubeObject,
): Promise<ApiResponse> {
  const { resource, path, server, identity } = context;
  const id = `${resource.group}/${resource.plural}${path.subresource === '' ? '' : `/${path.subresource}`}`;
  const handler = server.virtual[id];
  if (!handler) throw new ApiError('ServiceUnavailable', `this server has nothing that answers ${id}`);
  const admitted = await admitMutating(context, { operation: 'CREATE', draft, dryRun: options.dryRun });
  await admitValidating(context, { operation: 'CREATE', draft: admitted, dryRun: options.dryRun });
  const answer = await handler({
    identity,
    object: asObject(admitted),
    namespace: path.namespace,
    name: path.name,
    ...(parent ? { parent } : {}),
    dryRun: options.dryRun,
  });
  return objectResponse(context, deepFreeze(answer), 201);
}
