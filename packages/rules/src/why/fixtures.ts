import {
  ADDON_GROUP,
  ADDON_NAME_LABEL,
  type AddOnDependency,
  type AddOnRollout,
  type ClusterManagementAddOn,
  INSTALLED_SPEC_ANNOTATION,
  type InstallStrategy,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
  type Placement,
  type PlacementDecision,
} from '@outrigger/api';
import type { Condition, ConditionStatus } from '@outrigger/core';
import { expect } from 'vitest';
import { causeOf, type Verdict } from '../explanation/chain.js';
import { EMPTY, type Snapshot } from './snapshot.js';
import { explain } from './why.js';

const API = `${ADDON_GROUP}/v1alpha1`;

/** Builds conditions from texts such as `Available True ProbeAvailable it runs`. */
export function conditions(...texts: readonly string[]): readonly Condition[] {
  return texts.map((text) => {
    const [type = '', status = 'True', reason = '', ...message] = text.split(' ');
    return { type, status: status as ConditionStatus, reason, message: message.join(' '), lastTransitionTime: '2026-01-01T00:00:00Z' };
  });
}

export function addOn(
  name: string,
  installStrategy: InstallStrategy = { type: 'ClusterLabelSelector', labelSelector: {} },
  dependencies: readonly AddOnDependency[] = [],
): ClusterManagementAddOn {
  return { apiVersion: API, kind: 'ClusterManagementAddOn', metadata: { name }, spec: { installStrategy, dependencies } };
}

export function installed(name: string, cluster: string, ...about: readonly string[]): ManagedClusterAddOn {
  return {
    apiVersion: API,
    kind: 'ManagedClusterAddOn',
    metadata: { name, namespace: cluster },
    spec: {},
    status: { conditions: conditions(...about) },
  };
}

export function cluster(name: string, labels: Readonly<Record<string, string>> = {}, about: readonly string[] = []): ManagedCluster {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, labels },
    spec: { hubAcceptsClient: true },
    status: { conditions: conditions(...about) },
  };
}

export function rollout(name: string, spec: AddOnRollout['spec'], status: AddOnRollout['status']): AddOnRollout {
  return {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'AddOnRollout',
    metadata: { name },
    ...(spec ? { spec } : {}),
    ...(status ? { status } : {}),
  };
}

export function placement(namespace: string, name: string): Placement {
  return { apiVersion: 'cluster.open-cluster-management.io/v1beta1', kind: 'Placement', metadata: { namespace, name }, spec: {} };
}

export function decision(namespace: string, name: string, clusters: readonly string[]): PlacementDecision {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1beta1',
    kind: 'PlacementDecision',
    metadata: { namespace, name: `${name}-decision-1`, labels: { 'cluster.open-cluster-management.io/placement': name } },
    status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: '' })) },
  };
}

/** An add-on that the installer created. */
export function marked(addOnOnCluster: ManagedClusterAddOn): ManagedClusterAddOn {
  return { ...addOnOnCluster, metadata: { ...addOnOnCluster.metadata, annotations: { [INSTALLED_SPEC_ANNOTATION]: 'x' } } };
}

export function deleting(addOnOnCluster: ManagedClusterAddOn): ManagedClusterAddOn {
  return { ...addOnOnCluster, metadata: { ...addOnOnCluster.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

/** The report of an agent on one manifest. */
export interface Reported {
  /** `Kind namespace/name` */
  readonly name: string;
  /** The message with which the API server rejected the manifest; undefined if the API server accepted it. */
  readonly refused?: string;
  readonly generation?: number;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** A work that its agent has reported on. */
export function work(name: string, namespace: string, manifests: readonly Reported[], generation = 1): ManifestWork {
  const at = (found: readonly Condition[], observedGeneration: number): readonly Condition[] =>
    found.map((condition) => ({ ...condition, observedGeneration }));
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { name: `addon-${name}-deploy-0`, namespace, generation, labels: { [ADDON_NAME_LABEL]: name } },
    spec: {},
    status: {
      conditions: at(conditions('Applied True x x', 'Available True x x'), generation),
      resourceStatus: {
        manifests: manifests.map(({ name: text, refused, generation: of = generation, values = {} }) => {
          const [kind = '', place = ''] = text.split(' ');
          const [space = '', object = ''] = place.split('/');
          const known = { group: 'apps', version: 'v1', kind, resource: `${kind.toLowerCase()}s`, namespace: space, name: object };
          return {
            resourceMeta: { ordinal: 0, ...known },
            conditions: at(conditions(refused === undefined ? 'Applied True x x' : `Applied False x ${refused}`), of),
            statusFeedback: {
              values: Object.entries(values).map(([value, is]) => ({
                name: value,
                fieldValue: typeof is === 'number' ? { type: 'Integer' as const, integer: is } : { type: 'String' as const, string: is },
              })),
            },
          };
        }),
      },
    },
  };
}

export const c1: ManagedCluster = cluster('c1', { env: 'prod' }, ['ManagedClusterJoined True ManagedClusterJoined joined']);

/** The conditions of an add-on that is installed and available. */
export const well: readonly string[] = [
  'Available True ProbeAvailable hello add-on is available.',
  'Progressing False Succeed install completed with no errors.',
];

/** A snapshot, and the explanation that is expected for the add-on hello on the cluster c1. */
export interface Case {
  readonly name: string;
  readonly given: Partial<Snapshot>;
  readonly verdict: Verdict;
  /** The text of the root cause; absent if the chain must have none. */
  readonly cause?: RegExp;
  readonly hint?: RegExp;
}

export function check({ given, verdict, cause, hint }: Case): void {
  const chain = explain({ ...EMPTY, ...given }, 'hello', 'c1');
  const found = causeOf(chain);
  expect(chain.verdict).toBe(verdict);
  if (cause) expect(found?.text).toMatch(cause);
  else expect(found).toBeUndefined();
  if (hint) expect(found?.hint).toMatch(hint);
  for (const link of chain.links) expect(link.hint ?? '').not.toMatch(/<[a-z]+>/);
}
