import { type AddOnTemplateSpec, type HubPermission, type RegistrationConfig, type TemplateRegistration } from '@outrigger/api';
import { customSigner } from './custom-signer.js';
import { kubeClient } from './kube-client.js';
import type { AddOnAgent, CredentialMount, RegistrationRule, RegistrationType } from './registration.js';

/** The rule of each type of registration. */
export type RegistrationTable = { readonly [Type in RegistrationType]: RegistrationRule };

/** If the API gets a new type, this table does not compile until it has a row for the type. */
const REGISTRATIONS: RegistrationTable = {
  KubeClient: kubeClient,
  CustomSigner: customSigner,
};

/** Treats a stored type that this code does not know as CustomSigner, so that it has an effect only if it names a signer. */
function ruleOf({ type }: TemplateRegistration): RegistrationRule {
  return Object.hasOwn(REGISTRATIONS, type) ? REGISTRATIONS[type] : customSigner;
}

/**
 * Returns the signers and subjects of the certificates for an add-on on one cluster, computed from the registrations of its template.
 * `status.registrations` publishes the result, and the hub compares certificate requests with it. If two registrations have the same
 * signer, the first one is used.
 */
export function registrationsOf(registrations: readonly TemplateRegistration[], agent: AddOnAgent): readonly RegistrationConfig[] {
  const bySigner = new Map<string, RegistrationConfig>();
  for (const registration of registrations) {
    const rule = ruleOf(registration);
    const signerName = rule.signer(registration);
    if (signerName === undefined || bySigner.has(signerName)) continue;
    bySigner.set(signerName, { signerName, subject: rule.subject(registration, agent) });
  }
  return [...bySigner.values()];
}

/** The registration of the template that uses this signer. */
export function registrationFor(
  signerName: string,
  template: Pick<AddOnTemplateSpec, 'registration'> | undefined,
): TemplateRegistration | undefined {
  return template?.registration?.find((registration) => ruleOf(registration).signer(registration) === signerName);
}

/** The Secrets that the cluster's agent maintains for the registrations of a template. */
export function credentialsOf(registrations: readonly TemplateRegistration[], addOn: string): readonly CredentialMount[] {
  return registrations.flatMap((registration) => {
    const rule = ruleOf(registration);
    const signer = rule.signer(registration);
    return signer === undefined ? [] : [rule.credential(signer, addOn)];
  });
}

/** The permissions on the hub's API that a template grants to the add-on's agents. */
export function permissionsOf(registrations: readonly TemplateRegistration[]): readonly HubPermission[] {
  return registrations.flatMap((registration) => ruleOf(registration).permissions(registration));
}

/** Whether the add-on's agent authenticates to the hub's API with this registration. */
export function isSignIn(registration: TemplateRegistration): boolean {
  return ruleOf(registration).isSignIn;
}
