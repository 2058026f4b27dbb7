import { type SubjectAccessReview, subjectAccessReviews } from '@outrigger/api';
import { ApiError, type ApiRequest, type ApiResponse, type Clock, type KubeObject, apiVersionOf, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type ObjectRef, versionedId } from '../../live/object-ref.js';
import { PERMISSION_TTL_MS, type Permission, type PermissionCheck } from './check.js';

/** What executors may do on the managed cluster, asked by SubjectAccessReviews and remembered for a minute. */
export class Permissions {
  readonly #client: Client;
  readonly #clock: Clock;
  #isImpersonating = false;
  readonly #known = new Map<string, { readonly permission: Permission; readonly until: number }>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  get(check: PermissionCheck): Permission | undefined {
    const known = this.#known.get(idOf(check));
    return known && known.until > this.#clock.monotonic() ? known.permission : undefined;
  }

  /** Asks for those that are not known, all at once. */
  async ask(checks: readonly PermissionCheck[], signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    for (const [id, { until }] of this.#known) if (until <= now) this.#known.delete(id);
    await Promise.all(
      checks.map(async (check) => {
        const permission = await this.#ask(check, signal);
        this.#known.set(idOf(check), { permission, until: this.#clock.monotonic() + PERMISSION_TTL_MS });
      }),
    );
  }

  /** Refused questions are answers too (the agent may not ask); one that gets no answer is asked again. */
  async #ask(check: PermissionCheck, signal: AbortSignal): Promise<Permission> {
    try {
      return { type: await this.#judge(check, signal) };
    } catch (error) {
      if (isApiError(error)) return { type: 'unclear', error: error.message };
      throw error;
    }
  }

  async #judge(check: PermissionCheck, signal: AbortSignal): Promise<'allowed' | 'denied' | 'escalation'> {
    const account = check.executor.subject.serviceAccount;
    // An executor nobody can be has no rights.
    if (!account) return 'denied';
    const allowed = await Promise.all(check.verbs.map((verb) => this.#isAllowed(check, verb, signal)));
    if (!allowed.every(Boolean)) return 'denied';
    return check.grants && (await this.#escalates(check.ref, check.grants, userOf(account), signal)) ? 'escalation' : 'allowed';
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

  /** Lets the server judge: it refuses, as the executor, to hand out more rights than the executor has. Nothing is stored. */
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

  /** A server or proxy that overlooks the header would answer for the agent, which may do everything. Asked until it was honoured once. */
  async #requireImpersonation(user: string, signal: AbortSignal): Promise<void> {
    if (this.#isImpersonating) return;
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
    let seen: unknown;
    try {
      const { body } = await this.#as(user, { path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: review }, signal);
      seen = (body as { readonly status?: { readonly userInfo?: { readonly username?: string } } }).status?.userInfo?.username;
    } catch (error) {
      // Servers before 1.28 cannot be asked, and all of them honour it.
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

function idOf({ executor, ref, verbs, grants }: PermissionCheck): string {
  const { namespace = '', name = '' } = executor.subject.serviceAccount ?? {};
  return JSON.stringify([namespace, name, verbs, versionedId(ref), grants]);
}
