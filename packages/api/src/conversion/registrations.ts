import { KUBE_CLIENT_SIGNER } from '../constants.js';
import type { CustomSignerSubject, RegistrationConfig, RegistrationConfigV1beta1, RegistrationSubject } from '../generated/addon.js';

type Driver = 'csr' | 'token';

/**
 * Returns a function that converts a registration to v1beta1. The function drops the organizational units of a kube client, because the
 * signer of its certificate does not certify them. The function always sets `kubeClient` or `customSigner`, because clients of v1beta1 read
 * these fields without a check.
 */
export function registrationToV1beta1(driver: Driver | undefined): (registration: RegistrationConfig) => RegistrationConfigV1beta1 {
  return ({ signerName, subject }) => {
    if (signerName !== KUBE_CLIENT_SIGNER) {
      return { type: 'customSigner', customSigner: { signerName, ...(subject ? { subject: toUnits(subject) } : {}) } };
    }
    return { type: 'kubeClient', kubeClient: { ...(subject ? { subject: withoutUnits(subject) } : {}), ...(driver ? { driver } : {}) } };
  };
}

export function registrationToV1alpha1({ type, kubeClient, customSigner }: RegistrationConfigV1beta1): RegistrationConfig {
  if (type === 'kubeClient') {
    return { signerName: KUBE_CLIENT_SIGNER, ...(kubeClient?.subject ? { subject: kubeClient.subject } : {}) };
  }
  const subject = customSigner?.subject;
  // The signer name is empty only for objects that were stored without validation. The schema of v1beta1 and the conversion webhook reject
  // a registration without `customSigner`.
  return { signerName: customSigner?.signerName ?? '', ...(subject ? { subject: fromUnits(subject) } : {}) };
}

/** Returns the driver of the first kube client registration, because v1alpha1 has one driver for the whole add-on. */
export function driverOf(registrations: readonly RegistrationConfigV1beta1[] | undefined): Driver | undefined {
  return registrations?.find((registration) => registration.type === 'kubeClient')?.kubeClient?.driver;
}

function withoutUnits({ organizationUnit: _, ...subject }: RegistrationSubject): Omit<RegistrationSubject, 'organizationUnit'> {
  return subject;
}

function toUnits({ organizationUnit, ...subject }: RegistrationSubject): CustomSignerSubject {
  return { ...subject, ...(organizationUnit ? { organizationUnits: organizationUnit } : {}) };
}

function fromUnits({ organizationUnits, ...subject }: CustomSignerSubject): RegistrationSubject {
  return { ...subject, ...(organizationUnits ? { organizationUnit: organizationUnits } : {}) };
}
