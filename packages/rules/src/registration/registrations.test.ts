import type { TemplateRegistration } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { customSigner } from './custom-signer.js';
import { type AddOnAgent, credentialsOf, isSignIn, permissionsOf, registrationFor, registrationsOf } from './index.js';
import type { RegistrationTable } from './registrations.js';

const AGENT: AddOnAgent = { cluster: 'c1', addOn: 'hello', driver: 'csr' };
const SIGN_IN: TemplateRegistration = {
  type: 'KubeClient',
  kubeClient: { hubPermissions: [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'view' } }] },
};
const CUSTOM: TemplateRegistration = { type: 'CustomSigner', customSigner: { signerName: 'example.com/a', signingCA: { name: 'ca' } } };
const NAMELESS: TemplateRegistration = { type: 'CustomSigner' };
/** A type from a later version of the API, which a stored object may contain. */
const UNKNOWN = { type: 'Later' } as unknown as TemplateRegistration;

/** Follows the recipe for a new type of registration in CONTRIBUTING.md. An unused `@ts-expect-error` is a compile error. */
describe('the table of registrations', () => {
  it('does not compile without a row for each type', () => {
    // @ts-expect-error the row of KubeClient is missing
    const incomplete: RegistrationTable = { CustomSigner: customSigner };
    expect(Object.keys(incomplete)).toEqual(['CustomSigner']);
  });
});

describe('the registrations of a template', () => {
  it.each<{
    name: string;
    registration: TemplateRegistration;
    signers: readonly string[];
    secrets: readonly string[];
    rights: number;
    signsIn: boolean;
  }>([
    {
      name: 'KubeClient',
      registration: SIGN_IN,
      signers: ['kubernetes.io/kube-apiserver-client'],
      secrets: ['hello-hub-kubeconfig'],
      rights: 1,
      signsIn: true,
    },
    {
      name: 'CustomSigner',
      registration: CUSTOM,
      signers: ['example.com/a'],
      secrets: ['hello-example.com-a-client-cert'],
      rights: 0,
      signsIn: false,
    },
    { name: 'CustomSigner without a signer', registration: NAMELESS, signers: [], secrets: [], rights: 0, signsIn: false },
    { name: 'a type that this code does not know', registration: UNKNOWN, signers: [], secrets: [], rights: 0, signsIn: false },
  ])('$name: signer, credential, rights and sign-in', ({ registration, signers, secrets, rights, signsIn }) => {
    expect(registrationsOf([registration], AGENT).map(({ signerName }) => signerName)).toEqual(signers);
    expect(credentialsOf([registration], 'hello').map(({ secret }) => secret)).toEqual(secrets);
    expect(permissionsOf([registration])).toHaveLength(rights);
    expect(isSignIn(registration)).toBe(signsIn);
  });

  it('publish one identity per signer: the first registration counts', () => {
    const again: TemplateRegistration = {
      ...CUSTOM,
      customSigner: { signerName: 'example.com/a', subject: { user: 'late' }, signingCA: { name: 'b' } },
    };
    expect(registrationsOf([CUSTOM, again], AGENT)).toHaveLength(1);
    expect(registrationFor('example.com/a', { registration: [SIGN_IN, CUSTOM, again] })).toBe(CUSTOM);
  });

  it('name the ServiceAccount of the add-on as the user if the agent signs in with tokens', () => {
    const [published] = registrationsOf([SIGN_IN], { ...AGENT, driver: 'token' });
    expect(published?.subject).toEqual({ user: 'system:serviceaccount:c1:hello-agent' });
  });
});
