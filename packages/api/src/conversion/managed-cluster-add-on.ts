import type { ObjectMeta } from '@outrigger/core';
import { INSTALL_NAMESPACE_ANNOTATION } from '../constants.js';
import type {
  ConfigReference,
  ConfigReferenceV1beta1,
  ManagedClusterAddOn,
  ManagedClusterAddOnStatus,
  ManagedClusterAddOnV1beta1,
  ManagedClusterAddOnV1beta1Status,
} from '../generated/addon.js';
import { driverOf, registrationToV1alpha1, registrationToV1beta1 } from './registrations.js';
import { V1ALPHA1, V1BETA1 } from './versions.js';

/**
 * Converts an add-on to v1beta1. The install namespace becomes an annotation. `status.addOnConfiguration` is dropped, because no controller
 * reads it.
 */
export function addOnToV1beta1(object: ManagedClusterAddOn): ManagedClusterAddOnV1beta1 {
  const { metadata, spec, status, ...rest } = object;
  const { installNamespace, ...sameSpec } = spec;
  return {
    ...rest,
    apiVersion: V1BETA1,
    metadata: withAnnotation(metadata, installNamespace),
    spec: sameSpec,
    ...(status ? { status: statusToV1beta1(status) } : {}),
  };
}

export function addOnToV1alpha1(object: ManagedClusterAddOnV1beta1): ManagedClusterAddOn {
  const { metadata, spec, status, ...rest } = object;
  const installNamespace = metadata.annotations?.[INSTALL_NAMESPACE_ANNOTATION];
  return {
    ...rest,
    apiVersion: V1ALPHA1,
    metadata: withAnnotation(metadata, undefined),
    spec: { ...(installNamespace ? { installNamespace } : {}), ...spec },
    ...(status ? { status: statusToV1alpha1(status) } : {}),
  };
}

/**
 * Returns the metadata with the annotation of the install namespace, or without it if there is none. A conversion may change only labels
 * and annotations.
 */
function withAnnotation(metadata: ObjectMeta, installNamespace: string | undefined): ObjectMeta {
  const { [INSTALL_NAMESPACE_ANNOTATION]: _, ...others } = metadata.annotations ?? {};
  const annotations = installNamespace ? { ...others, [INSTALL_NAMESPACE_ANNOTATION]: installNamespace } : others;
  const { annotations: __, ...sameMetadata } = metadata;
  return Object.keys(annotations).length > 0 ? { ...sameMetadata, annotations } : sameMetadata;
}

function statusToV1beta1(status: ManagedClusterAddOnStatus): ManagedClusterAddOnV1beta1Status {
  const { addOnConfiguration: _, configReferences, registrations, kubeClientDriver, ...same } = status;
  return {
    ...same,
    ...(configReferences ? { configReferences: configReferences.map(referenceToV1beta1) } : {}),
    ...(registrations ? { registrations: registrations.map(registrationToV1beta1(kubeClientDriver)) } : {}),
  };
}

function statusToV1alpha1(status: ManagedClusterAddOnV1beta1Status): ManagedClusterAddOnStatus {
  const { configReferences, registrations, ...same } = status;
  const driver = driverOf(registrations);
  return {
    ...same,
    ...(configReferences ? { configReferences: configReferences.map(referenceToV1alpha1) } : {}),
    ...(registrations ? { registrations: registrations.map(registrationToV1alpha1) } : {}),
    ...(driver ? { kubeClientDriver: driver } : {}),
  };
}

/**
 * Converts a reference. If desiredConfig is absent, the result has a desiredConfig with the name and without a digest, so that the
 * conversion back preserves the name.
 */
function referenceToV1beta1({ name, namespace, ...same }: ConfigReference): ConfigReferenceV1beta1 {
  return { ...same, desiredConfig: same.desiredConfig ?? (namespace === undefined ? { name } : { namespace, name }) };
}

/**
 * Converts a reference. The schema of v1beta1 rejects a reference that names no object. A reference that was stored before the schema had
 * this rule gets an empty name, as in upstream.
 */
function referenceToV1alpha1(reference: ConfigReferenceV1beta1): ConfigReference {
  const { name = '', namespace } = reference.desiredConfig ?? reference.lastAppliedConfig ?? {};
  return { ...reference, name, ...(namespace === undefined ? {} : { namespace }) };
}
