import { ApiError, type KubeObject } from '@outrigger/core';
import { pods } from '../controllers/kinds.js';
import type { ControllerApi, RemoveOptions } from '../controllers/api.js';
import type { VirtualRequest } from '../handle/contract.js';

interface Eviction extends KubeObject {
  readonly deleteOptions?: RemoveOptions;
}

const DONE = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success', code: 201 } as KubeObject;

/** Handles an eviction (sent by `kubectl drain`) as a deletion with the pod's own grace period. Disruption budgets are ignored. */
export async function evict(api: ControllerApi, { object, namespace, name, dryRun }: VirtualRequest): Promise<KubeObject> {
  if (object.metadata.name !== name) throw new ApiError('BadRequest', 'name in URL does not match name in Eviction object');
  const { deleteOptions } = object as Eviction;
  await api.remove(pods, { namespace, name }, dryRun ? { ...deleteOptions, dryRun: ['All'] } : deleteOptions);
  return DONE;
}
