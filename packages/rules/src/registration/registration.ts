import type { HubPermission, ManagedClusterAddOnStatus, RegistrationSubject, TemplateRegistration } from '@outrigger/api';

export type RegistrationType = TemplateRegistration['type'];

/**
 * How the add-on's agent authenticates to the hub's API. The cluster's agent writes this field, and it is the only field of the status that
 * the hub reads from an agent.
 */
export type ClientDriver = ManagedClusterAddOnStatus['kubeClientDriver'];

/** The agent of an add-on on one cluster. */
export interface AddOnAgent {
  readonly cluster: string;
  readonly addOn: string;
  readonly driver: ClientDriver;
}

/** The Secret that contains the credential of a registration, and the path at which the add-on's pods find the credential. */
export interface CredentialMount {
  readonly secret: string;
  readonly volume: string;
  readonly mountPath: string;
}

/** The rules of one type of registration. Each rule is a pure function of the registration and of the add-on's agent. */
export interface RegistrationRule {
  /** Whether the add-on's agent authenticates to the hub's API with this registration. */
  readonly isSignIn: boolean;
  /** The signer of the registration's certificates. Undefined if the registration names no signer; it then has no effect. */
  signer(registration: TemplateRegistration): string | undefined;
  /** The subject that the hub publishes and compares with certificate requests. */
  subject(registration: TemplateRegistration, agent: AddOnAgent): RegistrationSubject;
  credential(signer: string, addOn: string): CredentialMount;
  /** The permissions on the hub's API that this registration grants. */
  permissions(registration: TemplateRegistration): readonly HubPermission[];
}
