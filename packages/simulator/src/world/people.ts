import {
  ADDON_GROUP,
  type AddOnRollout,
  DETACH_ANNOTATION,
  type ManagedClusterAddOn,
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  placements,
  rolloutApprovals,
  rolloutPolicies,
} from '@outrigger/api';
import { type JsonObject, type Kind, type KubeObject, type ObjectKey, apiVersionOf, asJson, keyOf, toTime } from '@outrigger/core';
import type { PersonStep } from '../history/steps.js';
import {
  CLUSTERS,
  OWN_CONFIG,
  declaration,
  deploymentConfig,
  initialPlacement,
  managedCluster,
  namedPlacements,
  placement,
  strategyOfEntries,
  template,
} from './objects.js';
import { rolloutApproval, rolloutPolicy } from './policies.js';
import { RealAgent, unownedDeployment } from './real-agent.js';
import type { World } from './world.js';

const PERSON = { name: 'person' };

/** Executes a step by a user. A step that does not apply, such as an edit of a missing object, does nothing. */
export function actAsPerson(world: World, step: PersonStep): void {
  world.person(() => act(world, step));
}

function act(world: World, step: PersonStep): void {
  const { api } = world;
  switch (step.do) {
    case 'declare':
      put(world, clusterManagementAddOns, declaration(step.addOn, step.strategy));
      return;
    case 'delete declaration':
      api.remove(PERSON, clusterManagementAddOns, { name: step.addOn });
      return;
    case 'edit template':
      put(world, addOnTemplates, template(step.addOn, step.version, step.content));
      return;
    case 'edit config':
      put(world, addOnDeploymentConfigs, deploymentConfig(step.addOn, step.level));
      return;
    case 'edit everything':
      put(world, clusterManagementAddOns, declaration(step.addOn, step.strategy));
      put(world, addOnTemplates, template(step.addOn, step.version, step.content));
      for (const cluster of CLUSTERS) label(world, cluster, { fleet: step.clusters.includes(cluster) ? 'yes' : null });
      return;
    case 'label':
      label(world, step.cluster, { fleet: step.fleet ? 'yes' : null, canary: step.canary ? 'yes' : null });
      return;
    case 'group size':
      put(world, placements, placement('all', { fleet: 'yes' }, step.size, true));
      return;
    case 'pause':
      api.patch(PERSON, addOnRollouts, { name: step.addOn }, { spec: { paused: step.paused ? true : null } });
      return;
    case 'pin':
      pin(world, step.addOn, step.back);
      return;
    case 'confirm': {
      const rollout = api.get(addOnRollouts, { name: step.addOn });
      const count = rollout.status?.pendingRemoval?.count;
      if (count !== undefined) api.patch(PERSON, addOnRollouts, { name: step.addOn }, { spec: { confirmRemoval: count + step.off } });
      return;
    }
    case 'override version':
      edit(world, { namespace: step.cluster, name: step.addOn }, { installVersion: step.version ?? null });
      return;
    case 'override config': {
      const own = { group: ADDON_GROUP, resource: 'addondeploymentconfigs', namespace: 'default', name: OWN_CONFIG };
      edit(world, { namespace: step.cluster, name: step.addOn }, { configs: step.isSet ? [own] : null });
      return;
    }
    case 'install by hand':
      api.create(PERSON, managedClusterAddOns, handMade(step.cluster, step.addOn));
      return;
    case 'uninstall by hand':
      api.remove(PERSON, managedClusterAddOns, { namespace: step.cluster, name: step.addOn });
      return;
    case 'join':
      api.create(PERSON, managedClusters, managedCluster(step.cluster, labelsOf(step)));
      return;
    case 'detach':
      if (step.isForced) {
        api.patch(PERSON, managedClusters, { name: step.cluster }, { metadata: { annotations: { [DETACH_ANNOTATION]: 'forced' } } });
      }
      api.remove(PERSON, managedClusters, { name: step.cluster });
      return;
    case 'policy':
      put(world, rolloutPolicies, rolloutPolicy(step.policy, step.shape, world.agenda.now));
      return;
    case 'delete policy':
      api.remove(PERSON, rolloutPolicies, { name: step.policy });
      return;
    case 'decide':
      decide(world, step);
      return;
    case 'metrics':
      world.metrics.set(step.addOn, step.value);
      return;
    case 'pin entry':
      pinEntry(world, step);
      return;
    case 'on cluster':
      actOnCluster(world, step);
      return;
    case 'edit entries':
      replaceInSpec(world, step.addOn, { installStrategy: strategyOfEntries(step.entries) });
      return;
    case 'edit dependencies':
      replaceInSpec(world, step.addOn, { dependencies: asJson(step.dependencies) });
      return;
    case 'create placement':
      api.create(PERSON, placements, initialPlacement(step.placement));
      return;
    case 'delete placement':
      api.remove(PERSON, placements, { namespace: 'default', name: step.placement });
  }
}

/** Creates the Placements that a declaration names and that are missing. */
export function createMissingPlacements(world: World): void {
  for (const one of world.api.list(clusterManagementAddOns)) {
    for (const name of namedPlacements(one)) actAsPerson(world, { do: 'create placement', placement: name });
  }
}

/** Replaces whole fields in the spec of a declaration. */
function replaceInSpec({ api }: World, name: string, fields: JsonObject): void {
  const old = api.get(clusterManagementAddOns, { name });
  api.replace(PERSON, clusterManagementAddOns, { ...old, spec: { ...old.spec, ...fields } } as KubeObject);
}

/** Lets a user change, delete, disown or create the object that an add-on applies. Does nothing if the cluster has no API server. */
function actOnCluster(world: World, { cluster, addOn, change }: Extract<PersonStep, { readonly do: 'on cluster' }>): void {
  const agent = world.agents.get(cluster);
  if (!(agent instanceof RealAgent)) return;
  agent.person((api, { kind, key }) => {
    if (change === 'create') api.create(PERSON, kind, unownedDeployment(key));
    else if (change === 'delete') api.remove(PERSON, kind, key);
    else if (change === 'disown') api.patch(PERSON, kind, key, { metadata: { ownerReferences: null } });
    else api.patch(PERSON, kind, key, { spec: { replicas: 3 }, metadata: { annotations: { level: 'drift' } } });
  }, addOn);
}

/** The groups in the entries of a run: `rest` for Progressive and All, and the decision groups, which have no names. */
const GROUPS = ['rest', '0', '1', '2', '3'] as const;

/** Writes one decision per entry, or one per entry and group if the decision approves a gate that applies to groups. */
function decide({ api, agenda }: World, { addOn, gate, decision, by }: Extract<PersonStep, { readonly do: 'decide' }>): void {
  const rollout: AddOnRollout = api.get(addOnRollouts, { name: addOn });
  const { uid = '' } = rollout.metadata;
  const policy = api.find(rolloutPolicies, { name: gate.split('/')[0] ?? '' });
  const isOfGroups = gate.endsWith('/approval') && (policy?.spec.approvals ?? []).some((one) => (one.before ?? one.after) === 'Group');
  for (const { name: entry, targetRevision, rejected = [] } of rollout.status?.entries ?? []) {
    // A retry must name the revision that was rejected, because the entry has another target since the rejection.
    const revision = decision === 'Retried' ? (rejected[0]?.revision ?? targetRevision) : targetRevision;
    if (revision === undefined) continue;
    for (const group of isOfGroups && decision === 'Approved' ? GROUPS : [undefined]) {
      const spec = {
        addOn,
        entry,
        revision,
        gate,
        decision,
        by,
        ...(group === undefined ? {} : { group }),
        ...(decision === 'Overridden' ? { comment: 'emergency', expires: toTime(agenda.now + 60_000) } : {}),
      };
      const name = `decision-${api.revision}`;
      api.create(PERSON, rolloutApprovals, rolloutApproval(name, spec, { name: addOn, uid }));
    }
  }
}

/** Lifts every rejection, so that the fleet can reach the content that its declarations name. */
export function retryRejections(world: World, addOn: string): void {
  const { api } = world;
  const rollout = api.find(addOnRollouts, { name: addOn });
  for (const { name: entry, rejected = [] } of rollout?.status?.entries ?? []) {
    for (const { gate = '', revision = 0 } of rejected) {
      const spec = { addOn, entry, revision, gate, decision: 'Retried' as const, by: 'person' };
      const owner = { name: addOn, uid: rollout?.metadata.uid ?? '' };
      world.person(() => api.create(PERSON, rolloutApprovals, rolloutApproval(`decision-${api.revision}`, spec, owner)));
    }
  }
}

function pinEntry({ api }: World, { addOn, isCanary, back }: Extract<PersonStep, { readonly do: 'pin entry' }>): void {
  const rollout: AddOnRollout = api.get(addOnRollouts, { name: addOn });
  const revision = back === undefined ? undefined : rollout.status?.history?.[back]?.revision;
  const name = isCanary ? 'default/canary' : 'default/all';
  const pinnedEntries = revision === undefined ? null : [{ name, revision }];
  api.patch(PERSON, addOnRollouts, { name: addOn }, { spec: { pinnedEntries } });
}

function labelsOf({ fleet, canary }: { readonly fleet: boolean; readonly canary: boolean }): Readonly<Record<string, string>> {
  return { ...(fleet ? { fleet: 'yes' } : {}), ...(canary ? { canary: 'yes' } : {}) };
}

/** Creates the object, or replaces its spec. */
function put(world: World, kind: Kind, object: KubeObject): void {
  const key = keyOf(object);
  const { spec } = object as unknown as { spec: JsonObject };
  const old = world.api.find(kind, key);
  if (!old) world.api.create(PERSON, kind, object);
  else world.api.replace(PERSON, kind, { ...old, spec } as KubeObject);
}

function label({ api }: World, name: string, labels: Readonly<Record<string, string | null>>): void {
  if (api.find(managedClusters, { name })) api.patch(PERSON, managedClusters, { name }, { metadata: { labels } });
}

function pin({ api }: World, name: string, back: number | undefined): void {
  const rollout: AddOnRollout = api.get(addOnRollouts, { name });
  const history = rollout.status?.history ?? [];
  const revision = back === undefined ? null : (history[back]?.revision ?? 77);
  api.patch(PERSON, addOnRollouts, { name }, { spec: { pinnedRevision: revision } });
}

function edit({ api }: World, key: ObjectKey, spec: JsonObject): void {
  if (api.find(managedClusterAddOns, key)) api.patch(PERSON, managedClusterAddOns, key, { spec });
}

function handMade(cluster: string, addOn: string): ManagedClusterAddOn {
  const metadata = { namespace: cluster, name: addOn };
  return { apiVersion: apiVersionOf(managedClusterAddOns), kind: managedClusterAddOns.kind, metadata, spec: {} };
}
