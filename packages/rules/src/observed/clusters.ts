import {
  ADDON_GROUP,
  AGENT_KEY_ANNOTATION,
  DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION,
  IMAGE_REGISTRIES_ANNOTATION,
  type ManagedCluster,
  zoneOf,
} from '@outrigger/api';
import type { ConditionStatus, Intern, KubeObject, Projected } from '@outrigger/core';
import { findCondition, isConditionTrue, isJsonObject, parseJson, parseTime } from '@outrigger/core';
import { base, isDeleting } from './base.js';

/** A ManagedCluster with the fields that the add-on rules use. */
export interface ClusterProjection extends Projected {
  /** When the cluster was created, on the API server's clock. */
  readonly createdAt?: string | undefined;
  readonly isAccepted: boolean;
  readonly isDeleting: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** The annotations whose value is a known time zone. Windows of RolloutPolicies use them. */
  readonly timeZones: Readonly<Record<string, string>>;
  /** The availability that the cluster reports; undefined before its first report. */
  readonly available: ClusterAvailability | undefined;
  /** Whether a user has disabled automatic installation on this cluster. */
  readonly isInstallDisabled: boolean;
  /**
   * The cluster's annotations for add-ons. The installer copies them to the add-ons that it creates on this cluster, because other managers
   * read them there.
   */
  readonly addOnAnnotations: Readonly<Record<string, string>>;
  /** The image registries of the cluster; undefined if the annotation is invalid, so that the source of images is unknown. */
  readonly imageRegistries: readonly ImageRegistry[] | undefined;
  /** Whether the cluster's agent has ever joined with its own certificate. */
  readonly hasJoined: boolean;
  /** Digest of the key in the agent's most recent certificate. */
  readonly agentKey: string | undefined;
}

export interface ImageRegistry {
  readonly source?: string;
  readonly mirror: string;
}

export interface ClusterAvailability {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly since: number;
}

export function projectCluster(object: KubeObject, intern: Intern): ClusterProjection {
  const cluster = object as ManagedCluster;
  const annotations = cluster.metadata.annotations ?? {};
  const condition = findCondition(cluster.status?.conditions, 'ManagedClusterConditionAvailable');
  return {
    createdAt: cluster.metadata.creationTimestamp,
    isAccepted: cluster.spec.hubAcceptsClient === true,
    isDeleting: isDeleting(cluster),
    labels: intern(cluster.metadata.labels ?? {}),
    timeZones: intern(timeZonesOf(annotations)),
    available: condition && {
      status: condition.status,
      reason: intern(condition.reason),
      message: intern(condition.message),
      since: parseTime(condition.lastTransitionTime) ?? 0,
    },
    isInstallDisabled: annotations[DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION] === 'true',
    addOnAnnotations: intern(addOnAnnotationsOf(annotations)),
    imageRegistries: intern(readRegistries(annotations[IMAGE_REGISTRIES_ANNOTATION])),
    hasJoined: isConditionTrue(cluster.status?.conditions, 'ManagedClusterJoined'),
    agentKey: annotations[AGENT_KEY_ANNOTATION],
    ...base(cluster, intern),
  };
}

/** Whether the cluster reports an availability other than True. A cluster that has not reported yet is not treated as unreachable. */
export function isUnreachable(cluster: { readonly available: { readonly status: string } | undefined } | undefined): boolean {
  return cluster?.available !== undefined && cluster.available.status !== 'True';
}

function addOnAnnotationsOf(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith(ADDON_GROUP)));
}

/** The forms of IANA time zone names: with a slash, or one of the short names such as `CET`, `Japan`, `EST5EDT` and `GMT+0`. */
const ZONE = /^(?:[a-z_]+\/[a-z0-9_+/-]{1,40}|[a-z]{2,9}|[a-z]{3}\d[a-z]{3}|gmt[+-]?0|gb-eire|nz-chat|w-su)$/i;

function timeZonesOf(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([, value]) => ZONE.test(value) && zoneOf(value) !== undefined));
}

function readRegistries(text: string | undefined): readonly ImageRegistry[] | undefined {
  if (text === undefined || text === '') return [];
  const value = parseJson(text);
  const registries = isJsonObject(value) ? (value['registries'] ?? []) : undefined;
  if (!Array.isArray(registries) || !registries.every(isRegistry)) return undefined;
  return registries.map(({ mirror, source = '' }) => ({ mirror, source }));
}

function isRegistry(entry: unknown): entry is ImageRegistry {
  if (!isJsonObject(entry)) return false;
  const { mirror, source = '' } = entry;
  return typeof mirror === 'string' && typeof source === 'string';
}
