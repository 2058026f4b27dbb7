import { type KubeObject, defined } from '@outrigger/core';
import { pods } from '../controllers/kinds.js';
import type { ControllerApi, RemoveOptions } from '../controllers/api.js';
import type { VirtualRequest } from '../handle/contract.js';

interface Eviction extends KubeObject {
  readonly deleteOptions?: RemoveOptions;
}

const DONE = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success', code: 201 } as KubeObject;

/** Handles an eviction (sent by `kubectl drain`) as a deletion with the pod's own grace period. Disruption budgets are ignored. */
export async function evict(api: ControllerApi, { object, namespace, name, dryRun }: VirtualRequest): Promise<KubeObject> {
  const { gracePeriodSeconds, preconditions, propagationPolicy } = (object as Eviction).deleteOptions ?? {};
  const options: RemoveOptions = defined({ gracePeriodSeconds, preconditions, propagationPolicy });
  if (!dryRun) await api.remove(pods, { namespace, name }, options);
  return DONE;
}
