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

/**
 * How the agent of a cluster authenticates to the hub's API. It is the only field in the status that the agent writes and the hub reads.
 */
export type ClientDriver = ManagedClusterAddOnStatus['kubeClientDriver'];

/**
 * The identities of an add-on from a template on one cluster, computed from the template alone. `status.registrations` publishes them, and
 * certificate requests are compared with them. There is one per signer: if two registrations have the same signer, the first counts.
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
  // Agents use this name if the subject has none.
  return { signerName, subject: { ...subject, user: subject.user || addOnUser(cluster, addOn, addOn) } };
}

/** With the token driver the agent requests no certificate: its user is the ServiceAccount created for the add-on. */
function kubeClientSubject(cluster: string, addOn: string, driver: ClientDriver): RegistrationSubject {
  return driver === 'token' ? { user: serviceAccountUser(cluster, templateAgentName(addOn)) } : defaultSubject(cluster, addOn);
}
