import { type SubjectAccessReview, subjectAccessReviews } from '@outrigger/api';
import {
  ApiError,
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type KubeObject,
  apiVersionOf,
  backoffMs,
  isApiError,
} from '@outrigger/core';
import { type Client, type ObjectRef, versionedId } from '@outrigger/kube';
import { ALLOWED_FOR_MS, type Permission, type PermissionCheck, REFUSED_FOR, recordsWriter } from './check.js';

interface Answer {
  /** The reason why the write is rejected; undefined if it is allowed. */
  readonly refusal: 'denied' | 'escalation' | { readonly error: string } | undefined;
  readonly until: number;
  /** The number of refusals in a row. */
  readonly refusals: number;
}

/** Checks the permissions of executors on the managed cluster with SubjectAccessReviews. Each verb is checked and cached separately. */
export class Permissions {
  readonly #client: Client;
  readonly #clock: Clock;
  #isImpersonating = false;
  /** The cached results, keyed by `idOf`. */
  readonly #known = new Map<string, Answer & { readonly owner: string }>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Returns the result of a check. One denied verb is enough for a denial. Returns undefined if no verb is denied but the result for one of
   * them is missing or expired.
   */
  get(check: PermissionCheck): Permission | undefined {
    const answers = questionsOf(check).map((question) => this.#current(question));
    const refused = answers.find((answer) => answer?.refusal !== undefined);
    if (refused?.refusal !== undefined) return permissionOf(refused.refusal, refused.until);
    return answers.every((answer) => answer !== undefined) ? { type: 'allowed' } : undefined;
  }

  /** Asks the API server, in parallel, about every permission without a valid cached result. */
  async ask(checks: readonly PermissionCheck[], signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    for (const [id, { until }] of this.#known) if (until + FORGOTTEN_AFTER_MS <= now) this.#known.delete(id);
    await Promise.all(checks.map((check) => this.#askAll(check, signal)));
  }

  /** Clears all cached results after roles or bindings have changed. Returns the owners with a denied check. */
  rightsChanged(): ReadonlySet<string> {
    const refused = [...this.#known.values()].filter(({ refusal }) => refusal !== undefined).map(({ owner }) => owner);
    this.#known.clear();
    return new Set(refused);
  }

  #current(question: Question): Answer | undefined {
    const known = this.#known.get(idOf(question));
    return known && known.until > this.#clock.monotonic() ? known : undefined;
  }

  /** Asks about all verbs first. Escalation is checked only if the executor has all of them. */
  async #askAll(check: PermissionCheck, signal: AbortSignal): Promise<void> {
    const [verbs, grants] = [questionsOf({ ...check, grants: undefined }), questionsOf(check).filter(({ verb }) => verb === undefined)];
    await Promise.all(verbs.map((question) => this.#ask(question, signal)));
    if (verbs.every((question) => this.#known.get(idOf(question))?.refusal === undefined)) {
      await Promise.all(grants.map((question) => this.#ask(question, signal)));
    }
  }

  /**
   * Sends one access review and stores the result. An API error also counts as a result, because the agent may lack the permission to
   * create reviews. If there is no response, the next pass asks again.
   */
  async #ask(question: Question, signal: AbortSignal): Promise<void> {
    if (this.#current(question)) return;
    const id = idOf(question);
    const refusal = await this.#refusal(question, signal);
    const refusals = refusal === undefined ? 0 : (this.#known.get(id)?.refusals ?? 0) + 1;
    const goodForMs = refusal === undefined ? ALLOWED_FOR_MS : backoffMs(refusals, REFUSED_FOR);
    this.#known.set(id, { refusal, refusals, until: this.#clock.monotonic() + goodForMs, owner: question.check.owner });
  }

  async #refusal({ check, verb }: Question, signal: AbortSignal): Promise<Answer['refusal']> {
    const account = check.executor.subject.serviceAccount;
    // An executor without a ServiceAccount has no permissions.
    if (!account) return 'denied';
    try {
      if (verb !== undefined) return (await this.#isAllowed(check, verb, signal)) ? undefined : 'denied';
      if (recordsWriter(check.ref)) return 'escalation';
      const object = check.grants;
      return object && (await this.#escalates(check.ref, object, userOf(account), signal)) ? 'escalation' : undefined;
    } catch (error) {
      if (isApiError(error)) return { error: error.message };
      throw error;
    }
  }

  async #isAllowed({ executor, ref }: PermissionCheck, verb: string, signal: AbortSignal): Promise<boolean> {
    const { namespace = '', name = '' } = executor.subject.serviceAccount ?? {};
    const { kind } = ref;
    const review: SubjectAccessReview = {
      apiVersion: apiVersionOf(subjectAccessReviews),
      kind: subjectAccessReviews.kind,
      metadata: {},
      spec: {
        user: userOf({ namespace, name }),
        groups: ['system:serviceaccounts', 'system:authenticated', `system:serviceaccounts:${namespace}`],
        resourceAttributes: {
          verb,
          group: kind.group,
          version: kind.version,
          resource: kind.plural,
          name: ref.name,
          ...(ref.namespace === '' ? {} : { namespace: ref.namespace }),
        },
      },
    };
    const answer = await this.#client.create(subjectAccessReviews, review, { signal });
    return answer.status?.allowed === true;
  }

  /**
   * Whether the object grants more permissions than the executor has. To find out, the agent sends a dry-run create as the executor. If
   * the object grants more, the API server rejects the request. Nothing is stored.
   */
  async #escalates({ kind, namespace }: ObjectRef, object: KubeObject, user: string, signal: AbortSignal): Promise<boolean> {
    await this.#requireImpersonation(user, signal);
    const within = kind.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    const path = `/apis/${kind.group}/${kind.version}${within}/${kind.plural}`;
    try {
      await this.#as(user, { path, query: { dryRun: 'All' }, body: object }, signal);
      return false;
    } catch (error) {
      if (isApiError(error, 'Forbidden')) return true;
      if (isApiError(error, 'AlreadyExists')) return false;
      throw error;
    }
  }

  /**
   * Checks that the server honors the impersonation header. A server or proxy that ignores it would use the agent's own, unrestricted
   * permissions. The check is repeated until the header has been honored once.
   */
  async #requireImpersonation(user: string, signal: AbortSignal): Promise<void> {
    if (this.#isImpersonating) return;
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
    let seen: unknown;
    try {
      const { body } = await this.#as(user, { path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: review }, signal);
      seen = (body as { readonly status?: { readonly userInfo?: { readonly username?: string } } }).status?.userInfo?.username;
    } catch (error) {
      // Servers before 1.28 do not serve SelfSubjectReviews, but all of them honor the header.
      if (!isApiError(error, 'NotFound')) throw error;
      seen = user;
    }
    if (seen !== user)
      throw new ApiError('InternalError', `the server does not impersonate ${user}: what it may hand out cannot be checked`);
    this.#isImpersonating = true;
  }

  #as(user: string, request: Pick<ApiRequest, 'path' | 'query' | 'body'>, signal: AbortSignal): Promise<ApiResponse> {
    const headers = { 'content-type': 'application/json', 'impersonate-user': user };
    return this.#client.raw({ method: 'POST', headers, ...request }, { signal });
  }
}

function userOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** A check of one verb or, if `verb` is undefined, a check whether the object would grant more permissions than the executor has. */
interface Question {
  readonly check: PermissionCheck;
  readonly verb: string | undefined;
}

function questionsOf(check: Omit<PermissionCheck, 'grants'> & { readonly grants?: KubeObject | undefined }): readonly Question[] {
  const { grants, ...rest } = check;
  const full: PermissionCheck = { ...rest, ...(grants ? { grants } : {}) };
  return [...check.verbs, ...(grants ? [undefined] : [])].map((verb) => ({ check: full, verb }));
}

function idOf({ check: { owner, generation, executor, ref, grants }, verb }: Question): string {
  const { namespace = '', name = '' } = executor.subject.serviceAccount ?? {};
  return JSON.stringify([owner, generation, namespace, name, versionedId(ref), verb ?? grants ?? null]);
}

function permissionOf(refusal: NonNullable<Answer['refusal']>, askAgainAt: number): Permission {
  return typeof refusal === 'string' ? { type: refusal, askAgainAt } : { type: 'unclear', error: refusal.error, askAgainAt };
}

/** The time for which an expired result is kept, together with its number of consecutive denials. */
const FORGOTTEN_AFTER_MS = 600_000;
