import { type JsonObject, isJsonObject, type AdmissionRequest } from '@outrigger/core';
import { CLUSTER_NAME_LABEL } from '../constants.js';
import type { AdmissionSettings, JsonPatchOperation } from './types.js';

/** The default maximum lifetime of a certificate: a day, so that a leaked certificate soon becomes useless. */
export const DEFAULT_CERTIFICATE_SECONDS = 86_400;

export const CERTIFICATES_GROUP = 'certificates.k8s.io';

/** Returns the lifetime that a certificate may have: the requested lifetime, limited by the cap, or the cap if no lifetime is requested. */
export function cappedSeconds(requested: number | undefined, cap: number = DEFAULT_CERTIFICATE_SECONDS): number {
  return requested === undefined ? cap : Math.min(requested, cap);
}

/**
 * Caps the lifetime that a CertificateSigningRequest of a cluster or add-on requests. Admission is the only place where it can be capped,
 * because `spec` is immutable after creation, and the API server's own signer uses the requested lifetime.
 */
export function capLifetime(
  { kind, operation, subResource, object }: AdmissionRequest,
  { maxCertificateSeconds }: Pick<AdmissionSettings, 'maxCertificateSeconds'>,
): readonly JsonPatchOperation[] {
  if (kind.group !== CERTIFICATES_GROUP || kind.kind !== 'CertificateSigningRequest' || operation !== 'CREATE' || subResource) return [];
  const labels: unknown = object?.metadata.labels;
  if (!isJsonObject(labels) || labels[CLUSTER_NAME_LABEL] === undefined) return [];
  const spec: unknown = (object as unknown as JsonObject | undefined)?.['spec'];
  if (!isJsonObject(spec)) return [];
  const requested = spec['expirationSeconds'];
  const seconds = cappedSeconds(typeof requested === 'number' ? requested : undefined, maxCertificateSeconds);
  return requested === seconds ? [] : [{ op: 'add', path: '/spec/expirationSeconds', value: seconds }];
}
