import {
  ADDON_NAME_LABEL,
  ADDON_TEMPLATE_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  type RbacSubject,
  type RoleBinding,
  type RoleRef,
  hubPermissionBindingPrefix,
  roleBindings,
  upstreamPermissionBindingName,
} from '@outrigger/api';
import type { OwnerReference, Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base } from '@outrigger/rules/observed';

/** A RoleBinding that grants the agents of an add-on a permission on the hub. */
export interface BindingProjection extends Projected {
  readonly addOnName: string;
  /** The cluster whose agent gets the permission; undefined for upstream's bindings, which serve all clusters at once. */
  readonly cluster: string | undefined;
  readonly maker: 'manager' | 'upstream' | 'another owner';
  readonly labels: Readonly<Record<string, string>>;
  readonly roleRef: RoleRef;
  readonly subjects: readonly RbacSubject[];
  readonly ownerReferences: readonly OwnerReference[];
}

export const permissionBindings: Resource<BindingProjection, 'addOn' | 'upstream'> = {
  name: 'permission-bindings',
  api: HUB,
  kind: roleBindings,
  labelSelector: ADDON_NAME_LABEL,
  project(object, intern) {
    const binding = object as RoleBinding;
    const { labels = {}, ownerReferences = [] } = binding.metadata;
    return {
      addOnName: intern(labels[ADDON_NAME_LABEL] ?? ''),
      cluster: intern(labels[CLUSTER_NAME_LABEL]),
      maker: makerOf(binding),
      labels: intern(labels),
      roleRef: intern(binding.roleRef),
      subjects: intern(binding.subjects ?? []),
      ownerReferences: intern(ownerReferences),
      ...base(binding, intern),
    };
  },
  indexes: {
    /** The key `cluster/add-on`, for bindings that this manager created. */
    addOn: ({ addOnName, cluster, maker }) => (maker === 'manager' ? [`${cluster ?? ''}/${addOnName}`] : []),
    /** The name of the add-on, for bindings that upstream's manager created. */
    upstream: ({ addOnName, maker }) => (maker === 'upstream' ? [addOnName] : []),
  },
};

/**
 * Returns which manager created a binding, according to its labels and its name. The labels alone are not sufficient, because any client
 * can set labels on any object, and the manager changes or deletes the bindings that it created.
 */
export function makerOf({ metadata: { name = '', labels = {} }, roleRef }: RoleBinding): BindingProjection['maker'] {
  const addOn = labels[ADDON_NAME_LABEL] ?? '';
  const cluster = labels[CLUSTER_NAME_LABEL];
  if (cluster !== undefined && name.startsWith(hubPermissionBindingPrefix(cluster, addOn))) return 'manager';
  const isUpstreams = labels[ADDON_TEMPLATE_NAME_LABEL] !== undefined && name === upstreamPermissionBindingName(addOn, roleRef.kind);
  return isUpstreams ? 'upstream' : 'another owner';
}
