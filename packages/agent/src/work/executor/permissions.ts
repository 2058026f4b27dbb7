import { type SubjectAccessReview, type UpdateStrategy, type WorkExecutor, subjectAccessReviews } from '@outrigger/api';
import { type Clock, type KubeObject, apiVersionOf, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type ObjectRef, versionedId } from '../../live/object-ref.js';

/** One question: may this ServiceAccount do all of this to this object? */
export interface PermissionCheck {
  readonly executor: WorkExecutor;
  readonly ref: ObjectRef;
  readonly verbs: readonly string[];
  /** What would be created, for kinds that hand out rights; absent for all others. */
  readonly grants?: KubeObject;
}

export type Permission =
  | { readonly type: 'allowed' | 'denied' | 'escalation' }
  /** The server would not say. */
  | { readonly type: 'unclear'; readonly error: string };

/** Rights change without a word: an answer is good for so long, and a denied work asks again after it. */
export const PERMISSION_TTL_MS = 60_000;

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** What the agent will do with its own rights, so the executor must have the same. Deleting too, where the object goes with the work. */
export function verbsFor({ type }: UpdateStrategy, isOwned: boolean): readonly string[] {
  const writes = {
    Update: ['create', 'update', 'patch'],
    CreateOnly: ['create', 'patch'],
    ServerSideApply: ['create', 'patch'],
    ReadOnly: [],
  };
  return ['get', ...writes[type], ...(isOwned && type !== 'ReadOnly' ? ['delete'] : [])];
}

/** Roles and bindings hand out rights: whoever makes one needs more than the right to create it. */
export function grantsRights({ kind }: ObjectRef): boolean {
  return kind.group === RBAC_GROUP;
}

export const EXECUTOR_MESSAGES = {
  denied: (ref: ObjectRef): string => `${notAllowed(ref)}, will try again in 1m0s`,
  escalation: (ref: ObjectRef): string => `${notAllowed(ref)}, error: permission escalation, will try again in 1m0s`,
} as const;

function notAllowed({ kind, namespace, name }: ObjectRef): string {
  return `not allowed to apply the resource ${kind.group} ${kind.plural}, ${namespace} ${name}`;
}

/** What executors may do on the managed cluster, asked by SubjectAccessReviews and remembered for a minute. */
export class Permissions {
  readonly #client: Client;
  readonly #clock: Clock;
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
    const within = kind.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    try {
      await this.#client.raw(
        {
          method: 'POST',
          path: `/apis/${kind.group}/${kind.version}${within}/${kind.plural}`,
          query: { dryRun: 'All' },
          headers: { 'content-type': 'application/json', 'impersonate-user': user },
          body: object,
        },
        { signal },
      );
      return false;
    } catch (error) {
      if (isApiError(error, 'Forbidden')) return true;
      if (isApiError(error, 'AlreadyExists')) return false;
      throw error;
    }
  }
}

function userOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

function idOf({ executor, ref, verbs, grants }: PermissionCheck): string {
  const { namespace = '', name = '' } = executor.subject.serviceAccount ?? {};
  return JSON.stringify([namespace, name, verbs, versionedId(ref), grants]);
}
