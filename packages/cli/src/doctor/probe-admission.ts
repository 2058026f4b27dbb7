import { type ManagedCluster, NAMESPACE_NAME_RULE, managedClusters } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import type { Patient } from './checks.js';

/** A name no namespace can have: schemas and the API server accept it, Outrigger's admission does not. */
const PROBE: ManagedCluster = {
  apiVersion: 'cluster.open-cluster-management.io/v1',
  kind: 'ManagedCluster',
  metadata: { name: 'outrigger-doctor.probe' },
  spec: { hubAcceptsClient: false },
};

/** Tries a write that only Outrigger's admission refuses. It is a dry run, so nothing is stored if the write is accepted. */
export async function probeAdmission(hub: Client): Promise<Patient['admission']> {
  try {
    await hub.create(managedClusters, PROBE, { dryRun: true });
    return 'silent';
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (error.message.includes(NAMESPACE_NAME_RULE)) return 'answers';
    return error.reason === 'Forbidden' || error.reason === 'NotFound' ? 'unknown' : 'silent';
  }
}
