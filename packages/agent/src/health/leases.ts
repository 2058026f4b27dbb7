import { type Lease, leases as leaseKind } from '@outrigger/api';
import { type Cancel, type ObjectKey, keyOf, type Projected } from '@outrigger/core';
import { type CacheView, type Resource, type Source, type SourceContext, watch } from '@outrigger/kube';
import { CLUSTER } from '../resources/apis.js';

export interface LeaseProjection extends Projected {
  readonly renewTime: string | undefined;
  readonly durationSeconds: number | undefined;
}

/** The state of an add-on's lease as observed by the agent. */
export type LeaseView =
  | { readonly type: 'unwatched' }
  /** The lease is watched, but the first list is not complete yet. */
  | { readonly type: 'unknown' }
  | { readonly type: 'absent' }
  | { readonly type: 'present'; readonly lease: LeaseProjection };

interface Followed {
  readonly namespace: string;
  readonly resource: Resource<LeaseProjection>;
  readonly cancel: Cancel;
}

/** Watches the leases of add-ons in lease mode: one watch per add-on, limited to the lease's name and namespace. */
export class LeaseWatches implements Source {
  readonly #clusterName: string;
  #context: SourceContext | undefined;
  readonly #followed = new Map<string, Followed>();

  constructor(clusterName: string) {
    this.#clusterName = clusterName;
  }

  start(context: SourceContext): Cancel {
    this.#context = context;
    return () => {
      for (const addOnName of this.#followed.keys()) this.leave(addOnName);
    };
  }

  look(view: CacheView, { namespace, name }: Required<ObjectKey>): LeaseView {
    const followed = this.#followed.get(name);
    if (followed?.namespace !== namespace) return { type: 'unwatched' };
    if (!view.isComplete(followed.resource)) return { type: 'unknown' };
    const lease = view.get(followed.resource, { namespace, name });
    return lease ? { type: 'present', lease } : { type: 'absent' };
  }

  isFollowing(addOnName: string): boolean {
    return this.#followed.has(addOnName);
  }

  follow({ namespace, name }: Required<ObjectKey>): void {
    this.leave(name);
    const context = this.#context;
    if (!context) return;
    const key = { namespace: this.#clusterName, name };
    const resource = leaseOf(namespace, name);
    const cancel = context.watch(
      watch(resource, () => [key]),
      () => context.wake(key),
    );
    this.#followed.set(name, { namespace, resource, cancel });
  }

  leave(addOnName: string): void {
    this.#followed.get(addOnName)?.cancel();
    this.#followed.delete(addOnName);
  }
}

function leaseOf(namespace: string, name: string): Resource<LeaseProjection> {
  return {
    name: `lease of ${name}`,
    api: CLUSTER,
    kind: leaseKind,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    project(object) {
      const { metadata, spec } = object as Lease;
      return {
        key: keyOf(object),
        uid: metadata.uid ?? '',
        resourceVersion: metadata.resourceVersion ?? '',
        renewTime: spec?.renewTime,
        durationSeconds: spec?.leaseDurationSeconds,
      };
    },
    indexes: {},
  };
}
