import {
  KUBE_CLIENT_SIGNER,
  type ManagedClusterAddOnStatus,
  type RegistrationConfig,
  type RegistrationSubject,
  type TemplateRegistration,
  addOnUser,
  defaultSubject,
  serviceAccountUser,
  templateAgentName,
} from '@outrigger/api';

/** How the agent of a cluster signs in to the hub's API: the one thing it writes into the status that is read. */
export type ClientDriver = ManagedClusterAddOnStatus['kubeClientDriver'];

/**
 * The identities an add-on of a template has on one cluster, computed from the template alone: what `status.registrations` publishes, and
 * what certificate requests are compared with. One per signer; of two entries with one signer the first stands.
 */
export function registrationsOf(
  registrations: readonly TemplateRegistration[],
  cluster: string,
  addOn: string,
  driver: ClientDriver,
): readonly RegistrationConfig[] {
  const bySigner = new Map<string, RegistrationConfig>();
  for (const registration of registrations) {
    const config = registrationOf(registration, cluster, addOn, driver);
    if (config && !bySigner.has(config.signerName)) bySigner.set(config.signerName, config);
  }
  return [...bySigner.values()];
}

function registrationOf(
  { type, customSigner }: TemplateRegistration,
  cluster: string,
  addOn: string,
  driver: ClientDriver,
): RegistrationConfig | undefined {
  if (type === 'KubeClient') return { signerName: KUBE_CLIENT_SIGNER, subject: kubeClientSubject(cluster, addOn, driver) };
  if (!customSigner) return undefined;
  const { signerName, subject } = customSigner;
  if (!subject) return { signerName, subject: defaultSubject(cluster, addOn) };
  // Agents ask for this name where the subject has none.
  return { signerName, subject: { ...subject, user: subject.user || addOnUser(cluster, addOn, addOn) } };
}

/** With the token driver nobody asks for a certificate: the add-on is the ServiceAccount made for it. */
function kubeClientSubject(cluster: string, addOn: string, driver: ClientDriver): RegistrationSubject {
  return driver === 'token' ? { user: serviceAccountUser(cluster, templateAgentName(addOn)) } : defaultSubject(cluster, addOn);
}
