import { type JsonObject, type KubeObject, type GroupVersionKind, type UserInfo, defined } from '@outrigger/core';
import { asObject, type Draft } from '../../registry/draft.js';
import type { DeleteOptions } from '../../request/delete-options.js';
import { cloneJson } from '../../request/json-value.js';
import type { AdmissionAttributes, Identity } from '../contract.js';
import type { RequestContext } from '../context.js';

interface Subject {
  readonly operation: AdmissionAttributes['operation'];
  readonly draft?: Draft;
  readonly old?: KubeObject;
  readonly dryRun: boolean;
  readonly view?: AdmittedView | undefined;
  readonly deletion?: DeleteOptions;
  /** The name in the request, if it may differ from the object's name. */
  readonly named?: string;
}

/**
 * The functions for a subresource with a kind of its own. `show` returns the object as admission receives it; `take` applies the changes of
 * admission to the draft of the stored object.
 */
export interface AdmittedView {
  readonly kind: GroupVersionKind;
  show(object: KubeObject): KubeObject;
  take(draft: Draft, shown: KubeObject): Draft;
}

/** Runs mutating admission on the draft. Returns the draft to continue with: the same one, or a private copy with the changes. */
export async function admitMutating(context: RequestContext, subject: Subject & { readonly draft: Draft }): Promise<Draft> {
  const { mutate } = context.server.admission;
  if (!mutate) return subject.draft;
  const verdict = await mutate(requestOf(context, subject));
  context.warnings.push(...(verdict.warnings ?? []));
  if (!verdict.object) return subject.draft;
  if (subject.view) return subject.view.take(cloneJson(subject.draft), verdict.object);
  return context.resource.schema().pruned(cloneJson(verdict.object) as unknown as Draft).value;
}

export async function admitValidating(context: RequestContext, subject: Subject): Promise<void> {
  const { validate } = context.server.admission;
  if (!validate) return;
  const verdict = await validate(requestOf(context, subject));
  context.warnings.push(...(verdict.warnings ?? []));
}

/** Runs mutating and validating admission for a deletion. Changes by mutating admission are ignored. */
export async function admitDeletion(context: RequestContext, old: KubeObject, deletion: DeleteOptions, named: string): Promise<void> {
  const { mutate, validate } = context.server.admission;
  const request = requestOf(context, { operation: 'DELETE', old, dryRun: deletion.dryRun, deletion, named });
  for (const verdict of [await mutate?.(request), await validate?.(request)]) context.warnings.push(...(verdict?.warnings ?? []));
}

function requestOf(context: RequestContext, { operation, draft, old, dryRun, view, deletion, named }: Subject): AdmissionAttributes {
  const { identity, resource, path } = context;
  const name = named ?? draft?.metadata.name ?? path.name;
  return {
    operation,
    identity,
    userInfo: userInfoOf(identity),
    group: resource.group,
    version: resource.version,
    resource: resource.plural,
    kind: view?.kind ?? resource.subresources.get(path.subresource) ?? resource,
    subResource: path.subresource,
    namespace: resource.group === '' && resource.plural === 'namespaces' ? name : path.namespace,
    name,
    pathName: path.name,
    options: () => (deletion ? deleteOptionsObject(deletion) : writeOptionsObject(context, operation)),
    warn: (warning) => void context.warnings.push(warning),
    ...(draft ? { object: view ? view.show(asObject(draft)) : asObject(draft) } : {}),
    ...(old ? { oldObject: view ? view.show(old) : old } : {}),
    dryRun,
  };
}

function userInfoOf({ user, uid, groups, extra }: Identity): UserInfo {
  return defined({ username: user, uid, groups: groups.length === 0 ? undefined : groups, extra });
}

const META = { apiVersion: 'meta.k8s.io/v1' };

/** Returns the options of a write as admission sees them. For admission, a patch is an update or a create. */
function writeOptionsObject({ query }: RequestContext, operation: string): JsonObject {
  const [dryRun, fieldManager, fieldValidation] = [query.all('dryRun'), query.text('fieldManager'), query.text('fieldValidation')];
  const kind = operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions';
  return defined({ kind, ...META, dryRun: dryRun.length > 0 ? dryRun : undefined, fieldManager, fieldValidation });
}

function deleteOptionsObject({ dryRun, gracePeriodSeconds, propagation, uid, resourceVersion }: DeleteOptions): JsonObject {
  const preconditions = defined({ uid, resourceVersion });
  return defined({
    kind: 'DeleteOptions',
    ...META,
    gracePeriodSeconds,
    preconditions: Object.keys(preconditions).length === 0 ? undefined : preconditions,
    propagationPolicy: propagation,
    dryRun: dryRun ? ['All'] : undefined,
  });
}
