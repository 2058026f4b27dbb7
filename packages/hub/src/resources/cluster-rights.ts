import {
  ADDON_NAME_LABEL,
  AGENT_IDENTITY_ANNOTATION,
  CLUSTER_NAME_LABEL,
  DETACH_ANNOTATION,
  MADE_NAMESPACE_ANNOTATION,
  type ClusterRole,
  type ConfigMap,
  type PolicyRule,
  type RbacSubject,
  type RoleBinding,
  type RoleRef,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  namespaces,
  roleBindings,
} from '@outrigger/api';
import type { Kind, KubeObject, Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base, isDeleting } from '@outrigger/rules/observed';

export interface NamespaceProjection extends Projected {
  readonly isDeleting: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether the clusters controller created the namespace. */
  readonly isMade: boolean;
  /** The way in which a user allowed the cleanup after the ManagedCluster disappeared: `confirmed` or `forced`. */
  readonly detach: string | undefined;
  /** The stored identity record of the agent that holds the cluster's name (registration/agent-identity.ts). */
  readonly identity: string | undefined;
}

export const clusterNamespaces: Resource<NamespaceProjection> = {
  name: 'cluster-namespaces',
  api: HUB,
  kind: namespaces,
  metadataOnly: true,
  project(object, intern) {
    const { labels = {}, annotations = {} } = object.metadata;
    return {
      isDeleting: isDeleting(object),
      labels: intern(labels),
      isMade: annotations[MADE_NAMESPACE_ANNOTATION] !== undefined,
      detach: annotations[DETACH_ANNOTATION],
      identity: annotations[AGENT_IDENTITY_ANNOTATION],
      ...base(object, intern),
    };
  },
  indexes: {},
};

/** Selects objects that were created for clusters, but not those created for add-ons. */
const OWN = `${CLUSTER_NAME_LABEL},!${ADDON_NAME_LABEL}`;

export interface RoleProjection extends Projected {
  /** The cluster; empty for a role that all clusters share. */
  readonly cluster: string;
  readonly rules: readonly PolicyRule[];
}

export const agentRoles: Resource<RoleProjection> = {
  name: 'cluster-agent-roles',
  api: HUB,
  kind: clusterRoles,
  labelSelector: OWN,
  project(object, intern) {
    return { cluster: clusterOf(object), rules: intern((object as ClusterRole).rules ?? []), ...base(object, intern) };
  },
  indexes: {},
};

export interface RightsBindingProjection extends Projected {
  readonly cluster: string;
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
  readonly roleRef: RoleRef;
  readonly subjects: readonly RbacSubject[];
}

function bindingsOf(name: string, kind: Kind<RoleBinding>): Resource<RightsBindingProjection> {
  return {
    name,
    api: HUB,
    kind,
    labelSelector: OWN,
    project(object, intern) {
      const { metadata, roleRef, subjects = [] } = object as RoleBinding;
      return {
        cluster: clusterOf(object),
        isDeleting: isDeleting(object),
        finalizers: intern(metadata.finalizers ?? []),
        roleRef: intern(roleRef),
        subjects: intern(subjects),
        ...base(object, intern),
      };
    },
    indexes: {},
  };
}

export const agentClusterBindings: Resource<RightsBindingProjection> = bindingsOf('cluster-agent-cluster-bindings', clusterRoleBindings);
export const agentBindings: Resource<RightsBindingProjection> = bindingsOf('cluster-agent-bindings', roleBindings);

function clusterOf({ metadata }: KubeObject): string {
  return metadata.labels?.[CLUSTER_NAME_LABEL] ?? '';
}

/** The ConfigMap, in a cluster's namespace, that lists the objects left on the cluster when it was detached by force. */
export const LEFT_BEHIND_NAME = 'outrigger-left-behind';
/**
 * The key, in the ConfigMap that lists the objects left behind, for the uid of the ManagedCluster. The uid distinguishes clusters of the
 * same name.
 */
export const LEFT_BEHIND_UID = 'cluster-uid';

export interface LeftBehindProjection extends Projected {
  readonly clusterUid: string | undefined;
}

export const leftBehind: Resource<LeftBehindProjection> = {
  name: 'left-behind',
  api: HUB,
  kind: configMaps,
  fieldSelector: `metadata.name=${LEFT_BEHIND_NAME}`,
  project(object, intern) {
    return { clusterUid: (object as ConfigMap).data?.[LEFT_BEHIND_UID], ...base(object, intern) };
  },
  indexes: {},
};
