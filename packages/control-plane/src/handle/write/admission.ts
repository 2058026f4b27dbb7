import type { KubeObject } from '@outrigger/core';
import { asObject, type Draft } from '../../registry/draft.js';
import { cloneJson } from '../../request/json-value.js';
import type { AdmissionRequest } from '../contract.js';
import type { RequestContext } from '../context.js';

interface Subject {
  readonly operation: AdmissionRequest['operation'];
  readonly draft?: Draft;
  readonly old?: KubeObject;
  readonly dryRun: boolean;
}

/** Lets mutating admission change the draft. Returns the draft to go on with. */
export async function admitMutating(context: RequestContext, subject: Subject & { readonly draft: Draft }): Promise<Draft> {
  const { mutate } = context.server.admission;
  if (!mutate) return subject.draft;
  const verdict = await mutate(requestOf(context, subject));
  context.warnings.push(...(verdict.warnings ?? []));
  return verdict.object ? (cloneJson(verdict.object) as unknown as Draft) : subject.draft;
}

export async function admitValidating(context: RequestContext, subject: Subject): Promise<void> {
  const { validate } = context.server.admission;
  if (!validate) return;
  const verdict = await validate(requestOf(context, subject));
  context.warnings.push(...(verdict.warnings ?? []));
}

function requestOf({ identity, resource, path }: RequestContext, { operation, draft, old, dryRun }: Subject): AdmissionRequest {
  return {
    operation,
    identity,
    group: resource.group,
    version: resource.version,
    kind: resource.kind,
    resource: resource.plural,
    subresource: path.subresource,
    namespace: path.namespace,
    name: draft?.metadata.name ?? path.name,
    ...(draft ? { object: asObject(draft) } : {}),
    ...(old ? { oldObject: old } : {}),
    dryRun,
  };
}
