import {
  deepEqual,
  errorMessage,
  isApiError,
  isJsonObject,
  jsonPatch,
  type Json,
  type KubeObject,
  type AdmissionVerdict,
} from '@outrigger/core';
import { authorizerOf } from '../admission/authorizer.js';
import { aggregated } from '../admission/conditions.js';
import { converted, inForm } from '../admission/forms.js';
import { namespaceMatches, objectMatches, type NamespaceLabels } from '../admission/match.js';
import { requestFields, type Reviewed } from '../admission/reviewed.js';
import { forbiddenResource } from '../authz/forbidden.js';
import type { AdmissionAttributes } from '../handle/contract.js';
import { internalError } from '../handle/errors.js';
import type { Resource } from '../registry/resource.js';
import { type Caller, post } from './call.js';
import type { Hook } from './configurations.js';
import type { Phase } from './contract.js';
import { CallFailed, denied, dryRunUnsupported } from './failures.js';
import { Reinvocation } from './reinvocation.js';
import { admissionReview, readResponse, type Response, reviewVersion } from './review.js';

/** A webhook whose rules match, and the resource (group and version) to which the object is converted for this webhook. */
export interface Selected {
  readonly hook: Hook;
  readonly form: Resource;
}

export interface Dispatch {
  readonly caller: Caller;
  readonly namespaceLabels: NamespaceLabels;
  readonly requested: Resource;
  readonly selected: readonly Selected[];
}

const DEFAULT_TIMEOUT_SECONDS = 10;
const ROUNDS = [1, 2] as const;

/** Calls mutating webhooks one after the other, each with the result of the previous ones. */
export async function dispatchMutating(dispatch: Dispatch, request: AdmissionAttributes): Promise<AdmissionVerdict> {
  const reinvocation = new Reinvocation();
  let current = request;
  for (const round of ROUNDS) {
    for (const { hook, form } of dispatch.selected) {
      if (round === 2 && !reinvocation.isDue(hook)) continue;
      const reviewed = await wanted(dispatch, { hook, form }, current);
      if (!reviewed) continue;
      const response = await ask(dispatch, hook, 'mutating', reviewed);
      const patched = response && patchedBy(hook, reviewed, response);
      if (patched) current = { ...current, object: await converted(patched, form, dispatch.requested) };
      reinvocation.note(hook, patched !== undefined);
    }
    if (current === request) break;
  }
  return current === request || !current.object ? {} : { object: current.object };
}

/** Calls all validating webhooks at the same time. If several reject, the client gets the first rejection in calling order. */
export async function dispatchValidating(dispatch: Dispatch, request: AdmissionAttributes): Promise<AdmissionVerdict> {
  const asked = dispatch.selected.map(async ({ hook, form }) => {
    const reviewed = await wanted(dispatch, { hook, form }, request);
    if (reviewed) await ask(dispatch, hook, 'validating', reviewed);
  });
  const outcomes = await Promise.allSettled(asked);
  const refused = outcomes.find((outcome) => outcome.status === 'rejected');
  if (refused) throw refused.reason;
  return {};
}

/**
 * Returns the request with its objects converted for the webhook, or undefined if the webhook's selectors or conditions exclude the
 * request.
 */
async function wanted(
  { namespaceLabels, requested }: Dispatch,
  { hook, form }: Selected,
  request: AdmissionAttributes,
): Promise<Reviewed | undefined> {
  if (!namespaceMatches(hook.namespaceSelector(), request, namespaceLabels)) return undefined;
  if (!objectMatches(hook.objectSelector(), request)) return undefined;
  const reviewed = await inForm(request, requested, form);
  if (!hook.webhook.matchConditions?.length) return reviewed;
  const { object = null, oldObject = null } = reviewed;
  const outcome = hook.conditions()({ object, oldObject, request: requestFields(reviewed), authorizer: authorizerOf(request) });
  if ('matches' in outcome) return outcome.matches ? reviewed : undefined;
  if (hook.webhook.failurePolicy === 'Ignore') return undefined;
  throw forbiddenResource(request, aggregated(outcome.problems));
}

/**
 * Returns the response of the webhook, or undefined if the call failed and the webhook's failure policy is Ignore. Throws if the call
 * failed and the policy is not Ignore, or if the webhook denies the request.
 */
async function ask({ caller }: Dispatch, { webhook }: Hook, phase: Phase, reviewed: Reviewed): Promise<Response | undefined> {
  const { name, failurePolicy } = webhook;
  if (reviewed.request.dryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun') throw dryRunUnsupported(name);
  let response: Response;
  try {
    response = await call(caller, { webhook, phase, reviewed });
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const isIgnored = failurePolicy === 'Ignore';
    caller.runtime.log.warn({ webhook: name, isIgnored, error: error.message }, 'webhook failed');
    if (isIgnored) return undefined;
    throw internalError(error.message, error);
  }
  for (const warning of response.warnings) reviewed.request.warn(warning);
  if (!response.allowed) throw denied(name, response.status);
  return response;
}

interface Call {
  readonly webhook: Hook['webhook'];
  readonly phase: Phase;
  readonly reviewed: Reviewed;
}

async function call(caller: Caller, { webhook, phase, reviewed }: Call): Promise<Response> {
  const { name, clientConfig, admissionReviewVersions, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = webhook;
  const version = reviewVersion(admissionReviewVersions);
  if (version === undefined) {
    throw new CallFailed(name, 'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)');
  }
  const uid = caller.runtime.random.uuid();
  const body = admissionReview(uid, version, reviewed);
  const answer = await post(caller, { to: clientConfig, body, timeoutSeconds }).catch((cause: unknown) => {
    throw new CallFailed(name, `failed to call webhook: ${errorMessage(cause)}`, { cause });
  });
  try {
    return readResponse(answer, { uid, version, phase });
  } catch (cause) {
    throw new CallFailed(name, errorMessage(cause), { cause });
  }
}

/**
 * Returns the object with the webhook's patch applied, or undefined if the patch changes nothing. A patch that cannot be applied is always
 * an error.
 */
function patchedBy({ webhook }: Hook, { object }: Reviewed, { patch }: Response): KubeObject | undefined {
  if (patch === undefined || (Array.isArray(patch) && patch.length === 0)) return undefined;
  if (!object) {
    const what = `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object`;
    throw internalError(`${what}, which is not supported for this operation`);
  }
  const patched = patchedObject(object, patch);
  return deepEqual(patched, object) ? undefined : patched;
}

function patchedObject(object: KubeObject, patch: Json): KubeObject {
  let patched: unknown;
  try {
    patched = jsonPatch(object, patch);
  } catch (error) {
    const cause = isApiError(error) && error.cause instanceof Error ? error.cause : error;
    throw internalError(errorMessage(cause), error);
  }
  if (isJsonObject(patched) && isJsonObject(patched['metadata'])) return patched as unknown as KubeObject;
  throw internalError('the patch of an admission webhook must leave an object with metadata');
}
