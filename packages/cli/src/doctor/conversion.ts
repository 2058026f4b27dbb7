import { ADDON_GROUP, clusterManagementAddOnsV1beta1, managedClusterAddOnsV1beta1 } from '@outrigger/api';
import { type Kind, type KubeObject, errorMessage, isApiError, isJsonObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { missingRightIn } from '../install/granting-roles.js';

/** The result of converting an object from v1beta1 to the stored version and back: the fields that were lost. */
export interface RoundTrip {
  readonly kind: string;
  /** The paths that were sent but are missing from the response. */
  readonly lost: readonly string[];
  /** The reason why the conversion could not be tried. */
  readonly failure?: string;
  /** Set if the user may not send the test object. */
  readonly isForbidden?: true;
}

const API_VERSION = `${ADDON_GROUP}/v1beta1`;
const NAME = 'outrigger-doctor';
/** A namespace that every API server has, because it refuses writes to missing namespaces. The manager may be in any namespace. */
const NAMESPACE = 'default';

/** Objects that set every field of our kinds that a user may set. They are sent as dry runs, so nothing is stored. */
const PROBES: readonly { readonly kind: Kind; readonly object: KubeObject & { readonly spec: object } }[] = [
  {
    kind: clusterManagementAddOnsV1beta1,
    object: declaration({
      dependencies: [{ name: 'other', type: 'Optional', message: 'less' }],
      installStrategy: { type: 'Placements', placements: [{ namespace: 'default', name: 'p', addonTemplate: { installVersion: 'v1' } }] },
    }),
  },
  {
    kind: clusterManagementAddOnsV1beta1,
    object: declaration({
      installStrategy: {
        type: 'ClusterLabelSelector',
        labelSelector: { matchLabels: { a: 'b' } },
        addonTemplate: { installVersion: 'v1' },
        configs: [{ group: ADDON_GROUP, resource: 'addondeploymentconfigs', namespace: 'default', name: 'c' }],
        rolloutStrategy: { type: 'All', all: { maxFailures: 1 } },
      },
    }),
  },
  {
    kind: managedClusterAddOnsV1beta1,
    object: {
      apiVersion: API_VERSION,
      kind: 'ManagedClusterAddOn',
      metadata: { name: NAME, namespace: NAMESPACE },
      spec: { installVersion: 'v1' },
    },
  },
];

function declaration(spec: object): KubeObject & { readonly spec: object } {
  return { apiVersion: API_VERSION, kind: 'ClusterManagementAddOn', metadata: { name: NAME }, spec };
}

/** Sends each probe through the hub's conversion. Versions that are not served are skipped; another check reports them. */
export async function tryRoundTrips(hub: Client): Promise<readonly RoundTrip[]> {
  const trips: RoundTrip[] = [];
  for (const { kind, object } of PROBES) {
    if (!(await hub.discovery.serves(kind))) continue;
    trips.push({ kind: kind.kind, ...(await tryOne(hub, kind, object)) });
  }
  return trips;
}

async function tryOne(hub: Client, kind: Kind, object: KubeObject & { readonly spec: object }): Promise<Omit<RoundTrip, 'kind'>> {
  try {
    const answer = (await hub.create(kind, object, { dryRun: true })) as KubeObject & { readonly spec?: unknown };
    return { lost: lostPaths(object.spec, answer.spec, 'spec') };
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (error.reason === 'Forbidden' && missingRightIn(error.message)) return { lost: [], isForbidden: true };
    return { lost: [], failure: errorMessage(error) };
  }
}

/** Returns the topmost paths of `sent` that are missing from `received` or have another value there. */
export function lostPaths(sent: unknown, received: unknown, path: string): readonly string[] {
  if (isJsonObject(sent)) {
    if (!isJsonObject(received)) return [path];
    return Object.entries(sent).flatMap(([name, value]) => lostPaths(value, received[name], `${path}.${name}`));
  }
  if (Array.isArray(sent)) {
    if (!Array.isArray(received) || received.length < sent.length) return [path];
    return sent.flatMap((value: unknown, index) => lostPaths(value, (received as unknown[])[index], `${path}[]`));
  }
  return sent === received ? [] : [path];
}
