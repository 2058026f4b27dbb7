import type { KubeObject } from '@outrigger/core';
import type {
  ClusterManagementAddOn,
  ClusterManagementAddOnV1beta1,
  ManagedClusterAddOn,
  ManagedClusterAddOnV1beta1,
} from '../generated/addon.js';
import { managementAddOnToV1alpha1, managementAddOnToV1beta1 } from './cluster-management-add-on.js';
import { addOnToV1alpha1, addOnToV1beta1 } from './managed-cluster-add-on.js';
import { V1ALPHA1, V1BETA1 } from './versions.js';

type Convert = (object: KubeObject) => KubeObject;

const rename =
  (apiVersion: string): Convert =>
  (object) => ({ ...object, apiVersion });

/** The conversions by kind and target version. If a kind is equal in both versions, only its apiVersion changes. */
const CONVERSIONS: Readonly<Record<string, Readonly<Record<string, Convert>>>> = {
  ClusterManagementAddOn: {
    [V1ALPHA1]: (object) => managementAddOnToV1alpha1(object as ClusterManagementAddOnV1beta1),
    [V1BETA1]: (object) => managementAddOnToV1beta1(object as ClusterManagementAddOn),
  },
  ManagedClusterAddOn: {
    [V1ALPHA1]: (object) => addOnToV1alpha1(object as ManagedClusterAddOnV1beta1),
    [V1BETA1]: (object) => addOnToV1beta1(object as ManagedClusterAddOn),
  },
  AddOnDeploymentConfig: { [V1ALPHA1]: rename(V1ALPHA1), [V1BETA1]: rename(V1BETA1) },
  AddOnTemplate: { [V1ALPHA1]: rename(V1ALPHA1), [V1BETA1]: rename(V1BETA1) },
};

/**
 * Returns the object in another version of its group, or the object itself if it already has that version. Throws if no conversion exists.
 */
export function convertObject(object: KubeObject, apiVersion: string): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  const conversions = Object.hasOwn(CONVERSIONS, object.kind) ? CONVERSIONS[object.kind] : undefined;
  const convert = conversions && Object.hasOwn(conversions, object.apiVersion) ? conversions[apiVersion] : undefined;
  if (!convert) throw new Error(`cannot convert ${object.kind} from ${object.apiVersion} to ${apiVersion}`);
  // An object without a spec needs no conversion, and the schema of the target version reports missing fields.
  return 'spec' in object ? convert(object) : rename(apiVersion)(object);
}
