import {
  AGENT_VERSION_ANNOTATION,
  CLUSTER_LEASE_NAME,
  CLUSTER_NAME_LABEL,
  HUB_NAMESPACE,
  KIND_DEFINITIONS,
  type Lease,
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  clusterManagementAddOns,
  deployments,
  events,
  leases,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  placementDecisions,
  placements,
  rolloutApprovals,
  rolloutPolicies,
} from '@outrigger/api';
import { type Kind, type KubeObject, apiVersionOf, countText, isApiError, isJsonObject, collect } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type Patient, examine } from '../../doctor/checks.js';
import { tryRoundTrips } from '../../doctor/conversion.js';
import { managerLease } from '../../doctor/manager-lease.js';
import { managerNames } from '../../doctor/manager-names.js';
import type { PolicyObjects } from '../../doctor/rollout-policies.js';
import { probeAdmission } from '../../doctor/probe-admission.js';
import { writeBundle } from '../../doctor/bundle.js';
import { findingsText } from '../../doctor/text.js';
import { CommandError, EXIT } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { find, listOf } from '../../fleet/objects.js';
import { type Refusals, ifAllowed, refusals, refusedNote } from '../../fleet/readable.js';
import { CUSTOM_RESOURCE_DEFINITIONS, type Definition } from '../../install/definitions/definition.js';
import { LEADER_LEASE_NAME } from '../../install/rights.js';
import { formatValue } from '../../terminal/format.js';
import { tableWidth } from '../../terminal/terminal.js';
import { detectUpstream } from '../../upstream/detect.js';
import { VERSION } from '../../version.js';
import type { CommandContext } from '../context.js';
import type { DoctorOptions } from './command.js';

export async function doctor(context: CommandContext, request: ConnectionOptions & DoctorOptions): Promise<void> {
  const { terminal } = context;
  const { clock } = await context.runtime();
  const findings = await withHub(context, request, async (hub, server) => {
    const found = examine(await readPatient(hub, clock.now()));
    if (request.bundle !== undefined) {
      const refused = refusals();
      const files = await writeBundle(request.bundle, await readParts(hub, refused), { version: VERSION, server, findings: found });
      terminal.note(refusedNote(refused.kinds));
      terminal.note(`wrote ${files.length} files to ${request.bundle}; look through them before you send them\n`);
    }
    return found;
  });
  const look = { style: terminal.style, width: tableWidth(terminal) };
  terminal.out(request.output === 'json' ? formatValue(findings, 'json') : findingsText(findings, look));
  const problems = findings.filter(({ state }) => state === 'problem').length;
  if (problems > 0) throw new CommandError(countText(problems, 'problem'), EXIT.no);
}

async function readPatient(hub: Client, nowMs: number): Promise<Patient> {
  const served = new Set((await hub.discovery.resources()).map((one) => `${apiVersionOf(one)} ${one.kind}`));
  const refused = refusals();
  const read = <T extends KubeObject>(kind: Kind<T>): Promise<readonly T[]> => refused.read(kind, ifServed(hub, kind));
  const [
    definitions,
    roundTrips,
    held,
    upstream,
    probed,
    managementAddOns,
    installed,
    clusters,
    rollouts,
    requests,
    agentVersions,
    isEmbedded,
    policies,
  ] = await Promise.all([
    readDefinitions(hub),
    tryRoundTrips(hub),
    refused.read(leases, managerLeases(hub)),
    refused.read(
      deployments,
      detectUpstream(hub).then((found) => [found]),
    ),
    probeAdmission(hub),
    read(clusterManagementAddOns),
    read(managedClusterAddOns),
    read(managedClusters),
    read(addOnRollouts),
    refused.read(certificateSigningRequests, collect(hub.listAll(certificateSigningRequests, { labelSelector: CLUSTER_NAME_LABEL }))),
    ifAllowed(readAgentVersions(hub)),
    isEmbeddedHub(hub),
    ifAllowed(readPolicies(hub)),
  ]);
  return {
    served,
    definitions,
    roundTrips,
    lease: managerLease(held, clusters),
    upstream: upstream[0] ?? {},
    ...probed,
    isEmbedded,
    requests,
    agentVersions: agentVersions ?? new Map(),
    version: VERSION,
    managementAddOns,
    installed,
    clusters,
    rollouts,
    ...(policies ? { policies } : {}),
    nowMs,
    refused: refused.kinds,
  };
}

/** Returns the Leases of managers in all namespaces, or in the default one if the user may read only that. */
async function managerLeases(hub: Client): Promise<readonly Lease[]> {
  const all = await ifAllowed(collect(hub.listAll(leases, { fieldSelector: `metadata.name=${LEADER_LEASE_NAME}` })));
  if (all) return all;
  const found = await find(hub, leases, { namespace: HUB_NAMESPACE, name: LEADER_LEASE_NAME });
  return found ? [found] : [];
}

const ADMISSION_GROUP = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false };
const ADMISSION_POLICIES: Kind = { ...ADMISSION_GROUP, kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies' };
const ADMISSION_BINDINGS: Kind = {
  ...ADMISSION_GROUP,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
};

/**
 * Reads the RolloutPolicies and the objects that determine whether their gates can open. If there are no policies, no other objects are
 * read.
 */
async function readPolicies(hub: Client): Promise<PolicyObjects> {
  const policies = await ifServed(hub, rolloutPolicies);
  const nothing = { policies, placements: [], admission: undefined, roles: undefined, bindings: undefined };
  if (policies.length === 0) return nothing;
  const [found, admissionPolicies, admissionBindings, roles, bindings, decisions, deployed] = await Promise.all([
    ifAllowed(ifServed(hub, placements)),
    ifAllowed(ifServed(hub, ADMISSION_POLICIES)),
    ifAllowed(ifServed(hub, ADMISSION_BINDINGS)),
    ifAllowed(listOf(hub, clusterRoles)),
    ifAllowed(listOf(hub, clusterRoleBindings)),
    ifAllowed(ifServed(hub, rolloutApprovals)),
    ifAllowed(find(hub, deployments, { namespace: HUB_NAMESPACE, name: 'outrigger-hub' })),
  ]);
  const admission = admissionPolicies && admissionBindings && { policies: admissionPolicies, bindings: admissionBindings };
  const manager = deployed && managerNames(deployed);
  return { ...nothing, placements: found ?? [], admission, roles, bindings, decisions, ...(manager ? { manager } : {}) };
}

/** Returns the versions that agents report on the leases of their clusters. Agents from other projects report none. */
async function readAgentVersions(hub: Client): Promise<ReadonlyMap<string, string>> {
  const found = await collect(hub.listAll(leases, { fieldSelector: `metadata.name=${CLUSTER_LEASE_NAME}` }));
  return new Map(
    found.flatMap(({ metadata }) => {
      const version = metadata.annotations?.[AGENT_VERSION_ANNOTATION];
      return version === undefined ? [] : [[metadata.namespace ?? '', version] as const];
    }),
  );
}

/** Whether the server is the embedded server, whose Kubernetes version contains `outrigger`. */
async function isEmbeddedHub(hub: Client): Promise<boolean> {
  const { body } = await hub.raw({ method: 'GET', path: '/version', headers: { accept: 'application/json' } });
  return isJsonObject(body) && typeof body['gitVersion'] === 'string' && body['gitVersion'].includes('outrigger');
}

/** Returns the installed CRDs of our kinds. CRDs that the user may not read are omitted, so that the other checks still run. */
async function readDefinitions(hub: Client): Promise<readonly Definition[]> {
  const found: Definition[] = [];
  for (const { group, plural } of KIND_DEFINITIONS) {
    try {
      const definition = await find(hub, CUSTOM_RESOURCE_DEFINITIONS, { name: `${plural}.${group}` });
      if (definition) found.push(definition);
    } catch (error) {
      if (!isApiError(error, 'Forbidden')) throw error;
    }
  }
  return found;
}

/** Returns the objects of a kind, or an empty list if the kind is not served, which another check reports. */
async function ifServed<T extends KubeObject>(hub: Client, kind: Kind<T>): Promise<readonly T[]> {
  try {
    return await listOf(hub, kind);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return [];
    throw error;
  }
}

async function readParts(hub: Client, refused: Refusals): Promise<Readonly<Record<string, readonly KubeObject[]>>> {
  const kinds: readonly Kind[] = [
    clusterManagementAddOns,
    managedClusterAddOns,
    addOnTemplates,
    addOnDeploymentConfigs,
    addOnRollouts,
    managedClusters,
    manifestWorks,
    placements,
    placementDecisions,
    events,
  ];
  const parts: [string, readonly KubeObject[]][] = [];
  for (const kind of kinds) parts.push([kind.plural, await refused.read(kind, ifServed(hub, kind))]);
  return Object.fromEntries(parts);
}
