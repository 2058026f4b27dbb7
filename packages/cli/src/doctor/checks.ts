import {
  type AddOnRollout,
  type CertificateSigningRequest,
  type ClusterManagementAddOn,
  FLEET_ROLLOUT,
  type Lease,
  type ManagedCluster,
  type ManagedClusterAddOn,
  UNREADABLE_KINDS_ANNOTATION,
  addOnRollouts,
  certificateSigningRequests,
  clusterManagementAddOns,
  deployments,
  leases,
  managedClusterAddOns,
  managedClusters,
} from '@outrigger/api';
import { type Condition, findCondition, parseJson, parseTime, shell, nameOf } from '@outrigger/core';
import { span } from '../terminal/age.js';
import { VERSION } from '../version.js';
import type { Definition } from '../install/definitions/definition.js';
import type { Upstream } from '../upstream/detect.js';
import type { RoundTrip } from './conversion.js';
import { NO_HUB, fields, isNoHub, kinds } from './definitions.js';
import { isPinned } from '@outrigger/rules/rollout';
import { hasNeverJoined, unpreparedCommand, unpreparedCondition } from '@outrigger/rules/why';
import { unconfigured } from '../views/conditions.js';
import { rolloutState } from '../views/rollout-state.js';
import { type Finding, some } from './finding.js';
import { managerNamespace, managerPods } from './manager-lease.js';
import { agents, approvals, certificates } from './outages.js';
import { type PolicyObjects, rolloutPolicies } from './rollout-policies.js';

/** The data that the checks use, read before they run. */
export interface Patient {
  /** Each served kind, as `apiVersion kind`. */
  readonly served: ReadonlySet<string>;
  /** The CRDs of our kinds on the server, except those that the user may not read. */
  readonly definitions: readonly Definition[];
  readonly roundTrips: readonly RoundTrip[];
  readonly lease: Lease | undefined;
  readonly upstream: Upstream;
  /**
   * Whether Outrigger's admission checks writes on this hub. `dead` means that the API server cannot reach the webhook, and `unknown` that
   * the user may not send the test write.
   */
  readonly admission: 'answers' | 'silent' | 'dead' | 'unknown';
  /** The error that the API server returned because it could not call Outrigger's webhook. */
  readonly webhookFailure?: string;
  /** Whether the server is the embedded one, whose manager runs in the same process. */
  readonly isEmbedded?: boolean;
  readonly requests?: readonly CertificateSigningRequest[];
  /** The version of each cluster's agent, if the agent reports one. */
  readonly agentVersions?: ReadonlyMap<string, string>;
  /** The version of this command. */
  readonly version?: string;
  readonly managementAddOns: readonly ClusterManagementAddOn[];
  readonly installed: readonly ManagedClusterAddOn[];
  readonly clusters: readonly ManagedCluster[];
  readonly rollouts: readonly AddOnRollout[];
  /** The RolloutPolicies, and the objects that determine whether their gates can open. */
  readonly policies?: PolicyObjects;
  readonly nowMs: number;
  /** The kinds that the user may not read. The checks on these kinds report this. */
  readonly refused?: readonly string[];
}

export function examine(patient: Patient): readonly Finding[] {
  // Skip the other checks if the server is no hub, because they would find no objects and therefore no problems.
  if (isNoHub(patient)) return [NO_HUB];
  const isRefused = ({ plural }: { readonly plural: string }): boolean => patient.refused?.includes(plural) ?? false;
  /** Runs a check, or notes that the user may not read the kind. */
  const readable = (kind: { readonly plural: string }, check: string, look: (patient: Patient) => Finding): Finding =>
    isRefused(kind) ? { check, state: 'ok', text: `not checked: your rights do not include ${kind.plural}` } : look(patient);
  return [
    kinds(patient),
    fields(patient),
    readable(leases, 'manager', manager),
    readable(deployments, 'other managers', upstream),
    admission(patient),
    readable(managedClusters, 'clusters', clusters),
    readable(managedClusters, 'approvals', (one) =>
      approvals(one.clusters, isRefused(certificateSigningRequests) ? undefined : one.requests),
    ),
    readable(managedClusters, 'certificates', (one) => certificates(one.clusters, one.nowMs)),
    readable(leases, 'agents', (one) => agents(one.agentVersions ?? new Map(), one.version ?? VERSION)),
    readable(managedClusterAddOns, 'add-ons', addOns),
    readable(addOnRollouts, 'rollouts', rollouts),
    ...(patient.policies ? rolloutPolicies(patient.policies, patient) : []),
    readable(clusterManagementAddOns, 'declarations', declarations),
  ];
}

function manager({ lease, nowMs, isEmbedded = false }: Patient): Finding {
  const spec = lease?.spec;
  const renewed = parseTime(spec?.renewTime);
  const unreadable = unreadableKinds(lease);
  if (isEmbedded && unreadable.length === 0) return { check: 'manager', state: 'ok', text: 'runs in the process of `outrigger up`' };
  if (!spec?.holderIdentity || renewed === undefined) {
    return {
      check: 'manager',
      state: 'problem',
      text: `no manager leads: the Lease ${managerNamespace(lease)}/outrigger-hub is not held (a manager with --no-leader-election holds none)`,
      hint: managerPods(lease),
    };
  }
  const ageMs = nowMs - renewed;
  const isFresh = ageMs < (spec.leaseDurationSeconds ?? 15) * 1000;
  if (isFresh && unreadable.length > 0)
    return {
      check: 'manager',
      state: 'problem',
      text: `${spec.holderIdentity.split('_')[0]} leads, but controllers wait for kinds: ${some(unreadable)}`,
      hint: 'outrigger install hub --apply',
    };
  if (isFresh) return { check: 'manager', state: 'ok', text: `${spec.holderIdentity.split('_')[0]} leads` };
  return {
    check: 'manager',
    state: 'problem',
    text: `no manager leads: the Lease was last renewed ${span(ageMs)} ago`,
    hint: managerPods(lease),
  };
}

/** Returns the leading manager's messages about kinds that it cannot read. An annotation that is not a list is treated as one message. */
function unreadableKinds(lease: Lease | undefined): readonly string[] {
  const text = lease?.metadata.annotations?.[UNREADABLE_KINDS_ANNOTATION];
  if (text === undefined) return [];
  const value = parseJson(text);
  return Array.isArray(value) ? value.map(String) : [text];
}

function upstream({ upstream: { addOnManager } }: Patient): Finding {
  if (addOnManager === undefined) return { check: 'other managers', state: 'ok', text: 'none' };
  return {
    check: 'other managers',
    state: 'warning',
    text: `Open Cluster Management's add-on manager runs (${addOnManager})`,
    hint: 'docs/guides/real-hub.md, "From upstream and back"',
  };
}

function admission({ admission: state, webhookFailure = '', lease }: Patient): Finding {
  const check = 'admission';
  if (state === 'answers') return { check, state: 'ok', text: 'the hub judges writes and caps certificates' };
  if (state === 'dead')
    return {
      check,
      state: 'problem',
      text: `the API server cannot call Outrigger's webhook, and refuses writes: ${webhookFailure}`,
      hint: managerPods(lease),
    };
  if (state === 'unknown') return { check, state: 'ok', text: 'not tried: it takes the right to create ManagedClusters' };
  return {
    check,
    state: 'warning',
    text:
      'no admission of Outrigger answers: a cluster can set the labels of its ManagedCluster and so choose its add-ons, ' +
      "and its certificates last as long as the API server's --cluster-signing-duration says",
    hint: 'start the manager with --webhook-port: docs/guides/security.md, "Threat model"',
  };
}

function clusters({ clusters: found }: Patient): Finding {
  const leaving = found.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).map(nameOf);
  const all = found.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const problem = unavailable(all) ?? hindered(all);
  if (problem) return problem;
  const text = `${all.length}, all accepted ones available`;
  const [first] = leaving;
  if (first === undefined) return { check: 'clusters', state: 'ok', text };
  return {
    check: 'clusters',
    state: 'warning',
    text: `${text}; leaving the fleet: ${some(leaving)}`,
    hint: shell`kubectl describe managedcluster ${first}`,
  };
}

/**
 * Finds accepted clusters that are not available or have not joined, and those for which the hub cannot create the objects that their
 * agents need.
 */
function unavailable(all: readonly ManagedCluster[]): Finding | undefined {
  const away = all.filter(
    ({ spec, status }) => spec.hubAcceptsClient && findCondition(status?.conditions, 'ManagedClusterConditionAvailable')?.status !== 'True',
  );
  const unjoined = away.filter(hasNeverJoined).map(nameOf);
  const joined = away.filter((cluster) => !hasNeverJoined(cluster)).map(nameOf);
  const unprepared = unpreparedClusters(all);
  const [hindrance] = unprepared;
  if (away.length === 0 && !hindrance) return undefined;
  const parts = [
    ...(hindrance ? [some(unprepared.map(({ name, message }) => `${name}: ${message}`))] : []),
    ...(joined.length > 0 ? [`${joined.length} of ${all.length} are not available: ${some(joined)}`] : []),
    ...(unjoined.length > 0 ? [`no agent has joined as ${some(unjoined)}`] : []),
  ];
  const [first] = joined;
  return {
    check: 'clusters',
    state: 'problem',
    text: parts.join('; '),
    hint: hindrance
      ? unpreparedCommand(hindrance.name, hindrance.message)
      : first === undefined
        ? shell`outrigger join ${unjoined[0]} > ${`${unjoined[0]}.yaml`}`
        : shell`kubectl describe managedcluster ${first}`,
  };
}

/** Finds agents that cannot read a kind. */
function hindered(all: readonly ManagedCluster[]): Finding | undefined {
  const agents = all.flatMap((cluster) => {
    const missing = findCondition(cluster.status?.conditions, 'AgentKindsReadable');
    return missing?.status === 'False' ? [`${nameOf(cluster)}: ${missing.message}`] : [];
  });
  if (agents.length === 0) return undefined;
  const hint = 'install the kind, or grant the agent the right to read it';
  return { check: 'clusters', state: 'problem', text: `agents go on without a kind: ${some(agents)}`, hint };
}

/** Returns the accepted clusters for which the hub cannot create the objects that their agents need. */
function unpreparedClusters(all: readonly ManagedCluster[]): readonly { readonly name: string; readonly message: string }[] {
  return all.flatMap((cluster) => {
    const found = unpreparedCondition(cluster);
    return found ? [{ name: nameOf(cluster), message: found.message }] : [];
  });
}

function addOns({ installed, nowMs }: Patient): Finding {
  const notAvailable = installed.filter(
    ({ status }) =>
      findCondition(status?.conditions, 'Progressing')?.reason === 'Failed' ||
      unconfigured(status?.conditions) !== undefined ||
      findCondition(status?.conditions, 'Available')?.status !== 'True',
  );
  const bad = notAvailable.filter((clusterAddOn) => !isArriving(clusterAddOn, nowMs));
  const [first] = bad;
  if (!first) {
    const arriving = notAvailable.length;
    const rest = arriving === 0 ? 'all available' : `${arriving} on the way or waiting for a rollout, the others available`;
    return { check: 'add-ons', state: 'ok', text: `${installed.length} on clusters, ${rest}` };
  }
  const names = bad.map(({ metadata }) => `${metadata.name} on ${metadata.namespace}`);
  return {
    check: 'add-ons',
    state: 'problem',
    text: `${bad.length} of ${installed.length} are not healthy: ${some(names)}`,
    hint: shell`outrigger why ${first.metadata.name} --cluster ${first.metadata.namespace}`,
  };
}

/** An add-on whose first installation takes longer than this counts as a problem. */
const ARRIVAL_MS = 10 * 60_000;

/**
 * Whether an add-on has not reported its health yet because its rollout has not admitted the cluster, or admitted it only a short time ago.
 * A rollout that makes no progress is reported by another check.
 */
function isArriving({ status }: ManagedClusterAddOn, nowMs: number): boolean {
  const find = (type: string): Condition | undefined => findCondition(status?.conditions, type);
  if (find('Available') || find('Progressing')?.reason === 'Failed') return false;
  const configured = find('Configured');
  if (configured?.status === 'False') return configured.reason === 'ConfigurationsNotConfigured';
  const progressing = find('Progressing');
  const since = parseTime(progressing?.lastTransitionTime);
  return progressing?.status === 'True' && since !== undefined && nowMs - since < ARRIVAL_MS;
}

function rollouts({ rollouts: records }: Patient): Finding {
  const all = records.filter((rollout) => nameOf(rollout) !== FLEET_ROLLOUT);
  const areAllPaused = records.some((rollout) => nameOf(rollout) === FLEET_ROLLOUT && rollout.spec?.paused);
  // While all rollouts of the fleet are paused, every rollout is shown as paused, so `hasHalted` shows whether a rollout was halted before.
  const halted = all.filter((rollout) => rolloutState(rollout).hasHalted).map(nameOf);
  if (halted.length > 0) {
    const beside = areAllPaused ? '; all rollouts of the fleet are paused' : '';
    return { check: 'rollouts', state: 'problem', text: `halted: ${some(halted)}${beside}`, hint: shell`outrigger why ${halted[0]}` };
  }
  if (areAllPaused)
    return { check: 'rollouts', state: 'warning', text: 'all rollouts of the fleet are paused', hint: 'outrigger resume --all' };
  const stopped = all.filter(({ spec }) => spec?.paused || isPinned(spec)).map(nameOf);
  if (stopped.length > 0)
    return {
      check: 'rollouts',
      state: 'warning',
      text: `paused or pinned at a revision: ${some(stopped)}`,
      hint: shell`outrigger rollout status ${stopped[0]}`,
    };
  return { check: 'rollouts', state: 'ok', text: `${all.length}, none halted` };
}

function declarations({ managementAddOns: all, rollouts: records }: Patient): Finding {
  const bad = all.flatMap((managementAddOn) =>
    (managementAddOn.status?.conditions ?? [])
      .filter(({ type, status }) => (type === 'TargetsResolved' || type === 'DependenciesValid') && status === 'False')
      .map(({ reason, message }) => ({
        addOn: nameOf(managementAddOn),
        reason,
        text: `${nameOf(managementAddOn)}: ${message}${reason === REMOVAL ? TO_KEEP : ''}`,
      })),
  );
  const unseen = records.filter(({ status }) => status?.pendingRemoval !== undefined && !bad.some(({ reason }) => reason === REMOVAL));
  const [first] = [
    ...bad,
    ...unseen.map((one) => ({ addOn: nameOf(one), reason: REMOVAL, text: `${nameOf(one)}: removals wait${TO_KEEP}` })),
  ];
  if (!first) return { check: 'declarations', state: 'ok', text: `${all.length}, all resolved` };
  return {
    check: 'declarations',
    state: 'problem',
    text: some(bad.length > 0 ? bad.map(({ text }) => text) : [first.text]),
    hint:
      first.reason === REMOVAL
        ? shell`outrigger rollout confirm ${first.addOn}`
        : shell`kubectl describe clustermanagementaddon ${first.addOn}`,
  };
}

const REMOVAL = 'RemovalNeedsConfirmation';
const TO_KEEP = '; to keep them, correct spec.installStrategy';
