import { type KubeObject, type ObjectKey, toMicroTime } from '@outrigger/core';
import { accepting } from '../controllers/accepting.js';
import type { ControllerContext } from '../controllers/contract.js';
import { lookUp } from '../controllers/follow.js';
import { leases } from '../controllers/kinds.js';

/**
 * The period in which an add-on's agent renews its lease. A lease is valid for one minute. Readers of a lease consider that agent lost only
 * if the lease has not been renewed for five minutes.
 */
export const LEASE_RENEW_MS = 60_000;
const LEASE_DURATION_SECONDS = 60;

interface Lease extends KubeObject {
  readonly spec?: { readonly renewTime?: string };
}

/** Renews a Lease as an add-on's agent would. */
export async function renewLease(context: ControllerContext, { namespace = '', name }: ObjectKey): Promise<void> {
  const { api, store, runtime } = context;
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: LEASE_DURATION_SECONDS,
    renewTime: toMicroTime(runtime.clock.now()),
  };
  if (lookUp<Lease>(store, leases, name, namespace)) {
    await api.mergePatch(leases, { namespace, name }, { spec });
    return;
  }
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec } as KubeObject;
  await accepting(api.create(leases, lease), 'AlreadyExists');
}
