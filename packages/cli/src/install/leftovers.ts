import {
  type AddOnCondition,
  KIND_DEFINITIONS,
  type ManagementCondition,
  OUTRIGGER_GROUP,
  clusterManagementAddOns,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  controllerRevisions,
  leases,
  managedClusterAddOns,
  namespaces,
  secrets,
} from '@outrigger/api';
import { type Condition, type JsonObject, type Kind, type KubeObject, asJson, isApiError, keyOf, collect } from '@outrigger/core';
import { JOIN_LABEL, LEFT_BEHIND_NAME, WEBHOOK_AUTHORITY } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { LEADER_LEASE_NAME } from './rights.js';

type Say = (line: string) => void;

const OUR_PREFIX = 'outrigger.dev/';

/**
 * Deletes the objects that the manager and `outrigger join` created, and that are not in the manifests of `install`: stored revisions, the
 * leader's Lease and the webhook's authority in the manager's namespace, the roles and bindings of join tokens, and the ConfigMaps about
 * forced detachments.
 */
export async function deleteMadeLater(client: Client, namespace: string, say: Say): Promise<void> {
  const made: readonly (readonly [Kind, readonly KubeObject[]])[] = [
    [controllerRevisions, (await collect(client.listAll(controllerRevisions, { namespace }))).filter(hasOurLabel)],
    [secrets, await named(client, secrets, WEBHOOK_AUTHORITY, namespace)],
    [leases, await named(client, leases, LEADER_LEASE_NAME, namespace)],
    [clusterRoleBindings, await collect(client.listAll(clusterRoleBindings, { labelSelector: JOIN_LABEL }))],
    [clusterRoles, await collect(client.listAll(clusterRoles, { labelSelector: JOIN_LABEL }))],
    [configMaps, await named(client, configMaps, LEFT_BEHIND_NAME)],
  ];
  for (const [kind, objects] of made) {
    for (const object of objects) {
      await ifPresent(() => client.delete(kind, keyOf(object)));
      say(`${kind.kind} ${idOf(object)} deleted`);
    }
  }
}

function named(client: Client, kind: Kind, name: string, namespace?: string): Promise<readonly KubeObject[]> {
  return collect(
    client.listAll(kind, { fieldSelector: `metadata.name=${name}`, ...(namespace === undefined ? {} : { namespace }), metadataOnly: true }),
  );
}

function hasOurLabel({ metadata: { labels = {} } }: KubeObject): boolean {
  return Object.keys(labels).some((key) => key.startsWith(OUR_PREFIX));
}

/**
 * Removes the labels, annotations and conditions that the manager wrote on objects of other programs: those of upstream's kinds, and the
 * namespaces of clusters. Specs are not written, so no agent applies anything again. Objects without such labels, annotations and
 * conditions are not written at all.
 */
export async function removeMarks(client: Client, say: Say): Promise<void> {
  for (const kind of await markedKinds(client)) {
    for await (const object of client.listAll(kind)) {
      const status = conditionsPatch(object);
      if (status) await ifPresent(() => client.patch(kind, keyOf(object), { type: 'merge', patch: status }, { subresource: 'status' }));
      const patch = unmarkingPatch(object);
      if (!patch) continue;
      await ifPresent(() => client.patch(kind, keyOf(object), { type: 'merge', patch }));
      say(`${kind.kind} ${idOf(object)}: labels and annotations ${OUR_PREFIX}* removed`);
    }
  }
}

/** Returns upstream's kinds that the server serves, and Namespaces. */
async function markedKinds(client: Client): Promise<readonly Kind[]> {
  client.discovery.invalidate();
  const upstreams = KIND_DEFINITIONS.filter(({ group }) => group !== OUTRIGGER_GROUP);
  const served = await Promise.all(
    upstreams.map(({ group, kind, versions }) => client.discovery.kindOf({ group, version: versions[0]?.version ?? '', kind })),
  );
  return [...served.filter((kind) => kind !== undefined), namespaces];
}

/** Returns the patch that removes our labels and annotations, or undefined if there are none. */
export function unmarkingPatch({ metadata }: KubeObject): JsonObject | undefined {
  const fields = (['labels', 'annotations'] as const).flatMap((field) => {
    const ours = Object.keys(metadata[field] ?? {}).filter((key) => key.startsWith(OUR_PREFIX));
    return ours.length === 0 ? [] : [[field, Object.fromEntries(ours.map((key) => [key, null]))] as const];
  });
  return fields.length === 0 ? undefined : { metadata: Object.fromEntries(fields) };
}

/** For each condition type, the reasons with which only our manager writes it; `all` if only our manager writes the type at all. */
type OurReasons<C extends { readonly type: string; readonly reason: string }> = {
  readonly [Type in C['type']]: 'all' | readonly Extract<C, { readonly type: Type }>['reason'][];
};

const MANAGEMENT_CONDITIONS: OurReasons<ManagementCondition> = {
  Progressing: [],
  TargetsResolved: 'all',
  DependenciesValid: 'all',
  Degraded: ['RolledBack'],
};

const ADD_ON_CONDITIONS: OurReasons<AddOnCondition> = {
  Available: [],
  Degraded: ['DependencyNotSatisfied', 'RequiredDependencyNotSatisfied', 'DependenciesSatisfied'],
  Configured: [],
  Progressing: [],
  ManifestApplied: [],
  RegistrationApplied: [],
  HookManifestCompleted: [],
  TokenInfrastructureReady: [],
  TokenRefreshed: [],
  ClusterCertificateRotated: [],
  HostingManifestApplied: [],
  HostingClusterValidity: [],
};

const OUR_CONDITIONS: Readonly<Record<string, Readonly<Record<string, 'all' | readonly string[]>>>> = {
  [clusterManagementAddOns.kind]: MANAGEMENT_CONDITIONS,
  [managedClusterAddOns.kind]: ADD_ON_CONDITIONS,
};

/** Returns the status patch that removes our conditions, which upstream's manager would never update, or undefined if there are none. */
export function conditionsPatch(object: KubeObject): JsonObject | undefined {
  const reasons = OUR_CONDITIONS[object.kind];
  const { status } = object as KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };
  const conditions = status?.conditions ?? [];
  const isOurs = ({ type, reason }: Condition): boolean => reasons?.[type] === 'all' || (reasons?.[type]?.includes(reason) ?? false);
  if (!conditions.some(isOurs)) return undefined;
  const { resourceVersion } = object.metadata;
  return {
    metadata: resourceVersion === undefined ? {} : { resourceVersion },
    status: { conditions: asJson(conditions.filter((condition) => !isOurs(condition))) },
  };
}

async function ifPresent(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

function idOf({ metadata: { namespace, name = '' } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
