import { type AddOnTemplate, type ManagedCluster, NAMESPACE_NAME_RULE, addOnTemplates, managedClusters } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import type { Patient } from './checks.js';

/** A cluster whose name no namespace can have. Schemas and the API server accept it, but Outrigger's admission rejects it. */
const CLUSTER: ManagedCluster = {
  apiVersion: 'cluster.open-cluster-management.io/v1',
  kind: 'ManagedCluster',
  metadata: { name: 'outrigger-doctor.probe' },
  spec: { hubAcceptsClient: false },
};

const TEMPLATE: AddOnTemplate = {
  apiVersion: 'addon.open-cluster-management.io/v1alpha1',
  kind: 'AddOnTemplate',
  metadata: { name: 'outrigger-doctor' },
  spec: { addonName: 'outrigger-doctor', agentSpec: { workload: { manifests: [] } } },
};

type Probed = Pick<Patient, 'admission' | 'webhookFailure'>;

/**
 * Sends two dry-run writes that Outrigger's admission checks. Nothing is stored if the API server accepts them. If the API server allows
 * the first write without a call to the webhook, the second write still detects a webhook that does not respond.
 */
export async function probeAdmission(hub: Client): Promise<Probed> {
  const refused = await refusalOf(() => hub.create(managedClusters, CLUSTER, { dryRun: true }));
  if (refused?.message.includes(NAMESPACE_NAME_RULE)) return { admission: 'answers' };
  const second = await refusalOf(() => hub.create(addOnTemplates, TEMPLATE, { dryRun: true }));
  const failure = [refused, second].map((error) => error?.message ?? '').find((message) => message.includes('failed calling webhook'));
  if (failure !== undefined) return { admission: 'dead', webhookFailure: failure };
  return { admission: refused?.reason === 'Forbidden' || refused?.reason === 'NotFound' ? 'unknown' : 'silent' };
}

async function refusalOf(write: () => Promise<unknown>): Promise<{ readonly message: string; readonly reason: string } | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}
