import { type SubjectAccessReview, clusterRoleBindings, clusterRoles, subjectAccessReviews } from '@outrigger/api';
import {
  ApiError,
  type Kind,
  type KubeObject,
  type ObjectKey,
  fieldsOf,
  keyOf,
  parseFieldSelector,
  parseLabelSelector,
} from '@outrigger/core';
import { type Client, ConnectionError, type ListOptions, type Patch } from '@outrigger/kube';
import type { Actor } from './api-event.js';
import type { MemoryApi } from './memory-api.js';
import type { Fate } from './weather.js';

interface WriteOptions {
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly force?: boolean;
  readonly precondition?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** The kinds that a cluster serves. */
const SERVED: readonly Kind[] = [
  { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
  { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
];

/** The client for the requests of controllers' effects. `fate` decides what happens to each write. A method that no effect uses throws. */
export function effectClient(api: MemoryApi, actor: Actor, fate: () => Fate = () => 'arrives'): Client {
  const selected = <T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): T[] => {
    const labels = parseLabelSelector(options.labelSelector ?? '');
    const fields = parseFieldSelector(options.fieldSelector ?? '');
    return [...api.list(kind)].filter(
      (object) =>
        (options.namespace === undefined || object.metadata.namespace === options.namespace) &&
        labels.matches(object.metadata.labels) &&
        fields.matches(fieldsOf(object)),
    );
  };
  const send = <T>(write: () => T): T => {
    const met = fate();
    if (met === 'lost') throw unanswered();
    const answer = write();
    if (met === 'answer lost') throw unanswered();
    return answer;
  };
  const methods = {
    async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): Promise<T> {
      return api.get(kind, key);
    },
    async list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<unknown> {
      return { metadata: { resourceVersion: String(api.revision) }, items: selected(kind, options) };
    },
    async *listAll<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterableIterator<T> {
      yield* selected(kind, options);
    },
    async create(kind: Kind, object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
      if (kind.plural === subjectAccessReviews.plural) return reviewed(api, object as SubjectAccessReview);
      return send(() => api.create(actor, kind, object, options.fieldManager ?? actor.name));
    },
    async replace(kind: Kind, object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
      if (options.dryRun) return { ...api.get(kind, keyOf(object)), ...object };
      return send(() => api.replace(actor, kind, object, options.subresource));
    },
    async patch(kind: Kind, key: ObjectKey, { type, patch }: Patch, options: WriteOptions = {}): Promise<KubeObject> {
      if (type !== 'merge') throw new Error(`no effect is known to send a ${type} patch`);
      const precondition = (patch['metadata'] ?? {}) as { uid?: string; resourceVersion?: string };
      return send(() => api.patch(actor, kind, key, patch, { precondition, subresource: options.subresource }));
    },
    async delete(kind: Kind, key: ObjectKey, options: WriteOptions = {}): Promise<unknown> {
      const left = send(() => api.remove(actor, kind, key, options.precondition));
      return left ?? { kind: 'Status', status: 'Success' };
    },
    discovery: {
      kindOf: async (wanted: Pick<Kind, 'group' | 'version' | 'kind'>): Promise<Kind | undefined> =>
        SERVED.find(({ group, version, kind }) => group === wanted.group && version === wanted.version && kind === wanted.kind),
      resources: async (): Promise<readonly Kind[]> => SERVED,
      invalidate: (): void => undefined,
    },
    apply: async (): Promise<never> => {
      throw new ApiError('MethodNotAllowed', 'no effect is known to use server-side apply');
    },
  };
  return methods as unknown as Client;
}

/** Answers a SubjectAccessReview from the ClusterRoleBindings. */
function reviewed(api: MemoryApi, review: SubjectAccessReview): SubjectAccessReview {
  const { user, groups = [], resourceAttributes } = review.spec;
  const { verb = '', group = '', resource = '', subresource, name = '' } = resourceAttributes ?? {};
  const wanted = subresource === undefined ? resource : `${resource}/${subresource}`;
  const bound = [...api.list(clusterRoleBindings)].filter(({ subjects = [] }) =>
    subjects.some((subject) => (subject.kind === 'Group' ? groups.includes(subject.name) : subject.name === user)),
  );
  const allowed = bound.some(({ roleRef }) =>
    (api.find(clusterRoles, { name: roleRef.name })?.rules ?? []).some(
      ({ verbs, apiGroups = [], resources = [], resourceNames }) =>
        verbs.includes(verb) && apiGroups.includes(group) && resources.includes(wanted) && (resourceNames?.includes(name) ?? true),
    ),
  );
  return { ...review, status: { allowed } };
}

function unanswered(): ConnectionError {
  return new ConnectionError('the connection was lost', { code: 'ECONNRESET', server: 'simulated', sent: true });
}
