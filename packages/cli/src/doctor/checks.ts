import {
  type AddOnRollout,
  type ClusterManagementAddOn,
  HUB_NAMESPACE,
  type Lease,
  type ManagedCluster,
  type ManagedClusterAddOn,
  addOnRollouts,
  clusterManagementAddOns,
  leases,
  managedClusterAddOns,
  managedClusters,
  shell,
} from '@outrigger/api';
import { findCondition, parseTime } from '@outrigger/core';
import { nameOf } from '../fleet/objects.js';
import { span } from '../terminal/age.js';
import type { Definition } from '../install/definitions/definition.js';
import type { Upstream } from '../upstream/detect.js';
import { rolloutState } from '../views/rollout-state.js';
import type { RoundTrip } from './conversion.js';
import { fields, kinds } from './definitions.js';

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly text: string;
  readonly hint?: string;
}

/** The data that the checks use, read before they run. */
export interface Patient {
  /** `apiVersion kind` of each served kind. */
  readonly served: ReadonlySet<string>;
  /** The definitions of our kinds on the server; without those that may not be read. */
  readonly definitions: readonly Definition[];
  readonly roundTrips: readonly RoundTrip[];
  readonly lease: Lease | undefined;
  readonly upstream: Upstream;
  /** Whether Outrigger's admission checks writes on this hub; `unknown` if the person may not try a write. */
  readonly admission: 'answers' | 'silent' | 'unknown';
  readonly addOns: readonly ClusterManagementAddOn[];
  readonly installed: readonly ManagedClusterAddOn[];
  readonly clusters: readonly ManagedCluster[];
  readonly rollouts: readonly AddOnRollout[];
  readonly nowMs: number;
  /** The kinds that the user may not read: the checks about them say so. */
  readonly refused?: readonly string[];
}

export function examine(patient: Patient): readonly Finding[] {
  /** The finding, or a note that the user may not read what the check is about. */
  const readable = (kind: { readonly plural: string }, check: string, look: (patient: Patient) => Finding): Finding =>
    patient.refused?.includes(kind.plural)
      ? { check, state: 'ok', text: `not checked: your rights do not include ${kind.plural}` }
      : look(patient);
  return [
    kinds(patient),
    fields(patient),
    readable(leases, 'manager', manager),
    upstream(patient),
    admission(patient),
    readable(managedClusters, 'clusters', clusters),
    readable(managedClusterAddOns, 'add-ons', addOns),
    readable(addOnRollouts, 'rollouts', rollouts),
    readable(clusterManagementAddOns, 'declarations', declarations),
  ];
}

function manager({ lease, nowMs }: Patient): Finding {
  const spec = lease?.spec;
  const renewed = parseTime(spec?.renewTime);
  if (!spec?.holderIdentity || renewed === undefined) {
    return {
      check: 'manager',
      state: 'warning',
      text: `no Lease ${HUB_NAMESPACE}/outrigger-hub is held: a manager without leader election runs, or none`,
      hint: 'nothing with `outrigger up`, which needs none; else kubectl get pods -A -l app.kubernetes.io/name=outrigger-hub',
    };
  }
  const ageMs = nowMs - renewed;
  const isFresh = ageMs < (spec.leaseDurationSeconds ?? 15) * 1000;
  if (isFresh) return { check: 'manager', state: 'ok', text: `${spec.holderIdentity.split('_')[0]} leads` };
  return {
    check: 'manager',
    state: 'problem',
    text: `the lease was last renewed ${span(ageMs)} ago: no manager runs`,
    hint: 'kubectl get pods -A -l app.kubernetes.io/name=outrigger-hub',
  };
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

function admission({ admission: state }: Patient): Finding {
  const check = 'admission';
  if (state === 'answers') return { check, state: 'ok', text: 'the hub judges writes and caps certificates' };
  if (state === 'unknown') return { check, state: 'ok', text: 'not tried: it takes the right to create ManagedClusters' };
  return {
    check,
    state: 'warning',
    text:
      'no admission of Outrigger answers: a cluster can set the labels of its ManagedCluster and so choose its add-ons, ' +
      "and its certificates last as long as the API server's --cluster-signing-duration says",
    hint: 'outrigger hub --webhook-port; docs/guides/security.md, "Threat model"',
  };
}

function clusters({ clusters: all }: Patient): Finding {
  const waiting = all.filter(({ spec }) => !spec.hubAcceptsClient).map(nameOf);
  const away = all
    .filter(
      ({ spec, status }) =>
        spec.hubAcceptsClient && findCondition(status?.conditions, 'ManagedClusterConditionAvailable')?.status !== 'True',
    )
    .map(nameOf);
  if (away.length > 0)
    return {
      check: 'clusters',
      state: 'problem',
      text: `${away.length} of ${all.length} are not available: ${some(away)}`,
      hint: 'outrigger get clusters',
    };
  const hindered = all.flatMap((cluster) => {
    const missing = findCondition(cluster.status?.conditions, 'AgentKindsReadable');
    return missing?.status === 'False' ? [`${nameOf(cluster)}: ${missing.message}`] : [];
  });
  if (hindered.length > 0) {
    const hint = 'install the kind, or grant the agent the right to read it';
    return { check: 'clusters', state: 'problem', text: `agents go on without a kind: ${some(hindered)}`, hint };
  }
  if (waiting.length > 0)
    return { check: 'clusters', state: 'warning', text: `not accepted: ${some(waiting)}`, hint: shell`outrigger accept ${waiting[0]}` };
  return { check: 'clusters', state: 'ok', text: `${all.length}, all available` };
}

function addOns({ installed }: Patient): Finding {
  const bad = installed.filter(
    ({ status }) =>
      findCondition(status?.conditions, 'Progressing')?.reason === 'Failed' ||
      findCondition(status?.conditions, 'Available')?.status !== 'True',
  );
  const [first] = bad;
  if (!first) return { check: 'add-ons', state: 'ok', text: `${installed.length} on clusters, all available` };
  const names = bad.map(({ metadata }) => `${metadata.name} on ${metadata.namespace}`);
  return {
    check: 'add-ons',
    state: 'problem',
    text: `${bad.length} of ${installed.length} are not well: ${some(names)}`,
    hint: shell`outrigger why ${first.metadata.name} --cluster ${first.metadata.namespace}`,
  };
}

function rollouts({ rollouts: all }: Patient): Finding {
  const halted = all.filter((rollout) => rolloutState(rollout).word === 'Halted').map(nameOf);
  if (halted.length > 0)
    return { check: 'rollouts', state: 'problem', text: `halted: ${some(halted)}`, hint: shell`outrigger rollout status ${halted[0]}` };
  const held = all.filter(({ spec }) => spec?.paused || spec?.pinnedRevision !== undefined).map(nameOf);
  if (held.length > 0)
    return {
      check: 'rollouts',
      state: 'warning',
      text: `paused or held at a revision: ${some(held)}`,
      hint: shell`outrigger rollout status ${held[0]}`,
    };
  return { check: 'rollouts', state: 'ok', text: `${all.length}, none halted` };
}

function declarations({ addOns: all, rollouts: records }: Patient): Finding {
  const waiting = records.find(({ status }) => status?.pendingRemoval !== undefined);
  const hint = waiting ? shell`outrigger rollout confirm ${nameOf(waiting)}` : undefined;
  const bad = all.flatMap((addOn) =>
    (addOn.status?.conditions ?? [])
      .filter(({ type, status }) => (type === 'TargetsResolved' || type === 'DependenciesValid') && status === 'False')
      .map(({ message }) => `${nameOf(addOn)}: ${message}`),
  );
  return bad.length === 0
    ? { check: 'declarations', state: 'ok', text: `${all.length}, all resolved` }
    : { check: 'declarations', state: 'problem', text: some(bad), ...(hint === undefined ? {} : { hint }) };
}

function some(names: readonly string[]): string {
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? `, and ${names.length - 3} more` : ''}`;
}
