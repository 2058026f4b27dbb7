import { WORK_FIELD_MANAGER, pods, serviceAccountUser } from '@outrigger/api';
import { type ApiReason, type KubeObject, asJson, assertNever, errorMessage, isApiError } from '@outrigger/core';
import {
  type Client,
  type EffectContext,
  type EffectHandlers,
  type ObjectRef,
  isConnectionError,
  isNotLeading,
  keyOfRef,
  objectId,
} from '@outrigger/kube';
import { CLUSTER } from '../resources/apis.js';
import type { AppliedWorkEffects, AskInput, InspectInput, TrackInput, WorkEffects, WriteInput } from './actions.js';
import { type Attempts, attemptFailed, attemptSucceeded, attemptsFor } from './attempts.js';
import { grantsRights } from './executor/check.js';
import { inspected, podSelector } from './inspection/inspection.js';
import { notReadyReason } from './inspection/reason.js';
import { NO_MEMORY } from './memory.js';
import type { ReleaseInput } from './ownership/release.js';
import { appliedWorkOf, refOfManifest, refOfResource } from './refs.js';
import type { WorkMemory } from './state.js';
import { fieldManagerOf, fingerprint, isStoredAlike } from './strategy/fingerprint.js';
import type { Write } from './strategy/situation.js';
import type { WorkAgent } from './work-agent.js';

/** Returns the effects of works on the managed cluster. */
export function workEffects(agent: WorkAgent): EffectHandlers<WorkEffects, WorkMemory> {
  return {
    async track(input, { remember }) {
      const refs = await track(input, agent);
      remember((memory = NO_MEMORY) => ({ ...memory, attempts: attemptsFor(memory.attempts, refs) }));
    },
    write: (input, context) => write(input, context, agent),
    release: (input, context) => release(input, context, agent),
    ask: (input, context) => ask(input, context, agent),
    inspect: (input, context) => inspect(input, context, agent),
  };
}

/** Returns the effects of applied works. */
export function appliedWorkEffects(agent: WorkAgent): EffectHandlers<AppliedWorkEffects> {
  return {
    async track(input) {
      const refs = await track(input, agent);
      if (refs.length === 0) agent.releaseProblems.drop(appliedWorkOf(input.owner) ?? '');
    },
    release: (input, context) => release(input, context, agent),
  };
}

/** Resolves the kinds of a work's objects, then watches exactly these objects. */
async function track({ owner, manifests, resources }: TrackInput, agent: WorkAgent): Promise<readonly ObjectRef[]> {
  const { kinds, live } = agent;
  const refs: ObjectRef[] = [];
  const unborn: ObjectRef[] = [];
  for (const manifest of manifests) {
    const lookup = await kinds.resolve(manifest.apiVersion, manifest.kind);
    if (lookup.state === 'served') refs.push(refOfManifest(manifest, lookup.kind));
  }
  for (const resource of resources) {
    const isServed = await kinds.resolveResource(resource);
    const ref = refOfResource(resource, kinds);
    refs.push(ref);
    // An object that is listed without a uid may still be created by a request that an earlier agent process sent. This cannot happen if
    // its kind is not served.
    if (resource.uid === undefined && isServed) unborn.push(ref);
  }
  live.track(owner, refs, unborn);
  live.wake(owner);
  return refs;
}

async function ask({ owner, checks }: AskInput, { signal }: EffectContext, { permissions, live }: WorkAgent): Promise<void> {
  await permissions.ask(checks, signal);
  live.wake(owner);
}

/** The maximum number of pods that are read per workload. The first pod that is not ready explains the state of the workload. */
const MOST_PODS = 50;

/** Reads the pods of a workload that is not ready. The next pass reports the reason; if the agent may not read pods, it reports none. */
async function inspect({ owner, ref, workload }: InspectInput, context: EffectContext<WorkMemory>, { live }: WorkAgent): Promise<void> {
  const labelSelector = podSelector(workload);
  const found =
    labelSelector === undefined
      ? []
      : await context
          .client(CLUSTER)
          .list(pods, { namespace: ref.namespace, labelSelector, limit: MOST_PODS, signal: context.signal })
          .then(({ items }) => items)
          .catch((error: unknown) => {
            if (!isApiError(error, 'Forbidden')) throw error;
            return [];
          });
  const reason = notReadyReason(workload, found);
  const at = context.runtime.clock.monotonic();
  context.remember((memory = NO_MEMORY) => ({ ...memory, inspections: inspected(memory.inspections, ref, reason, at) }));
  live.wake(owner);
}

/** Writes one object. The next pass reports the outcome. A failure is not thrown, because the remaining manifests must be written too. */
async function write(input: WriteInput, context: EffectContext<WorkMemory>, agent: WorkAgent): Promise<void> {
  const { owner, ref, write: wanted, strategy, manifest, content } = input;
  const { live } = agent;
  const { clock } = context.runtime;
  const remember = (update: (attempts: Attempts) => Attempts): void =>
    context.remember((memory = NO_MEMORY) => ({ ...memory, attempts: update(memory.attempts) }));
  const succeeded = (object: KubeObject): void =>
    remember((attempts) => attemptSucceeded(attempts, ref, content, fingerprint(strategy, object, manifest), clock.monotonic()));
  try {
    if (await isStored(input, context)) {
      succeeded(input.compareWith ?? manifest);
    } else {
      await rehearse(input, context);
      const object = await perform(wanted, ref, context.client(CLUSTER), { signal: context.signal });
      succeeded(object);
      live.wrote(ref, object);
      if (grantsRights(ref)) rightsChanged(agent);
    }
  } catch (error) {
    if (mayBeDone(error)) live.doubt(ref);
    if (context.signal.aborted || isNotLeading(error)) throw error;
    const message = failureMessage(ref, error);
    context.runtime.log.warn({ owner, object: objectId(ref), error: message }, 'object could not be written');
    remember((attempts) => attemptFailed(attempts, ref, content, { message, isPassing: isPassing(error) }, clock.monotonic()));
    await afterFailure(error, ref, agent);
  }
  live.wake(owner);
}

/** Wakes the works with a denied permission check, so that the check is repeated immediately. */
function rightsChanged({ permissions, live }: WorkAgent): void {
  for (const owner of permissions.rightsChanged()) live.wake(owner);
}

/**
 * Whether the write would be unnecessary. The server normalizes manifests (defaults, quantities, pruned fields), so only a dry run shows
 * the object that it would store. If the server cannot dry-run the write, the agent performs it.
 */
async function isStored({ ref, write: wanted, strategy, manifest, compareWith }: WriteInput, context: EffectContext): Promise<boolean> {
  if (!compareWith) return false;
  try {
    const answer = await perform(wanted, ref, context.client(CLUSTER), { signal: context.signal, dryRun: true });
    return isStoredAlike(answer, compareWith, manifest, fieldManagerOf(strategy));
  } catch (error) {
    if (isApiError(error)) return false;
    throw error;
  }
}

/**
 * Sends a change of an existing object as a dry run of the executor. Some rules of an API server and of a hub's admission compare an object
 * with its earlier state, such as the labels by which a policy selects it, so the check before the write, which creates the object, does not
 * ask for them. Throws the error with which the server rejects the change.
 */
async function rehearse({ ref, write: wanted, executor }: WriteInput, context: EffectContext): Promise<void> {
  const account = executor?.subject.serviceAccount;
  if (!account || wanted.type === 'create' || wanted.type === 'recreate') return;
  const asUser = serviceAccountUser(account.namespace, account.name);
  await perform(wanted, ref, context.client(CLUSTER), { signal: context.signal, dryRun: true, asUser });
}

interface PerformOptions {
  readonly signal: AbortSignal;
  readonly dryRun?: boolean;
  readonly asUser?: string;
}

async function perform(wanted: Write, ref: ObjectRef, client: Client, { dryRun = false, ...request }: PerformOptions): Promise<KubeObject> {
  const { kind } = ref;
  const { signal } = request;
  const key = keyOfRef(ref);
  const options = { ...request, dryRun, fieldManager: WORK_FIELD_MANAGER };
  switch (wanted.type) {
    case 'create':
      return client.create(kind, placed(wanted.object, ref), options);
    case 'replace':
      return client.replace(kind, placed(wanted.object, ref), options);
    case 'recreate':
      await client.delete(kind, key, { signal, precondition: { uid: wanted.uid } });
      return client.create(kind, placed(wanted.object, ref), options);
    case 'apply':
      return client.apply(kind, placed(wanted.object, ref), { ...options, fieldManager: wanted.fieldManager, force: wanted.force });
    case 'owners': {
      const { references, uid, resourceVersion } = wanted;
      const patch = { metadata: { uid, resourceVersion, ownerReferences: asJson(references) } };
      return client.patch(kind, key, { type: 'merge', patch }, options);
    }
    default:
      return assertNever(wanted);
  }
}

/** Returns the object with the right namespace: added if the manifest omits it, removed if the kind is cluster-scoped. */
function placed(object: KubeObject, { namespace }: ObjectRef): KubeObject {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata: namespace === '' ? metadata : { ...metadata, namespace } };
}

/**
 * Whether the server may have executed a write that failed. If so, the agent discards the known state of the object. Otherwise, after the
 * next edit, the work would treat an object that it has just created as absent, or an object that it has just adopted as not its own, and
 * drop the object from its list.
 */
function mayBeDone(error: unknown): boolean {
  if (isNotLeading(error)) return false;
  if (isConnectionError(error)) return error.sent;
  return !isApiError(error) || error.code >= 500;
}

/** Reads the object again if the failure shows that its known state is outdated. */
async function afterFailure(error: unknown, ref: ObjectRef, { live, kinds }: WorkAgent): Promise<void> {
  if (isApiError(error, 'Conflict') || isApiError(error, 'AlreadyExists')) await live.refresh(ref);
  if (!isApiError(error, 'NotFound')) return;
  // If NotFound is about the namespace, the kind is still served.
  if (error.details?.kind !== 'namespaces') kinds.forget(ref.kind);
  await live.refresh(ref);
}

const PASSING: ReadonlySet<ApiReason> = new Set([
  'Conflict',
  'AlreadyExists',
  'TooManyRequests',
  'ServiceUnavailable',
  'Timeout',
  'ServerTimeout',
]);

/**
 * Whether the failure is transient. A conflict about fields that other managers own lasts until they release them; any other conflict only
 * means that another client wrote first.
 */
function isPassing(error: unknown): boolean {
  if (isConnectionError(error)) return true;
  if (!isApiError(error) || !PASSING.has(error.reason)) return false;
  return !(error.details?.causes ?? []).some(({ reason }) => reason === 'FieldManagerConflict');
}

/** Returns the message of a failure. Errors about Secrets may quote their content, so only the names of the fields are reported. */
function failureMessage({ kind }: ObjectRef, error: unknown): string {
  if (kind.group !== '' || kind.plural !== 'secrets' || !isApiError(error)) return errorMessage(error);
  const fields = (error.details?.causes ?? []).flatMap(({ field }) => (field === undefined ? [] : [field]));
  return fields.length > 0 ? `${error.reason}: ${fields.join(', ')}` : error.reason;
}

/** Removes an object, or only the work's owner reference. If the server returns an error, the work reports it. */
async function release(input: ReleaseInput, context: EffectContext, agent: WorkAgent): Promise<void> {
  const { ref } = input;
  try {
    await remove(input, context, agent);
    agent.releaseProblems.record(input, objectId(ref), undefined);
    if (grantsRights(ref)) rightsChanged(agent);
  } catch (error) {
    if (isApiError(error) && !isPassing(error)) agent.releaseProblems.record(input, objectId(ref), failureMessage(ref, error));
    throw error;
  }
}

/**
 * Deletes the object, or removes the owner reference to the applied work from it. The server rejects the write if the object has changed
 * since the agent read it.
 */
async function remove({ ref, release: wanted }: ReleaseInput, context: EffectContext, { live }: WorkAgent): Promise<void> {
  const cluster = context.client(CLUSTER);
  const { signal } = context;
  const key = keyOfRef(ref);
  const { uid, resourceVersion } = wanted;
  try {
    if (wanted.type === 'delete') {
      const answer = await cluster.delete(ref.kind, key, { signal, precondition: { uid, resourceVersion }, propagation: 'Background' });
      const livesOn = answer.kind !== 'Status' && answer.metadata.deletionTimestamp !== undefined;
      live.wrote(ref, livesOn ? answer : undefined);
    } else {
      const patch = { metadata: { uid, resourceVersion, ownerReferences: asJson(wanted.references) } };
      live.wrote(ref, await cluster.patch(ref.kind, key, { type: 'merge', patch }, { signal, fieldManager: WORK_FIELD_MANAGER }));
    }
  } catch (error) {
    if (isApiError(error, 'NotFound')) live.wrote(ref, undefined);
    else if (isApiError(error, 'Conflict')) await live.refresh(ref);
    else throw error;
  }
}
