import { type ObjectKey, keyString } from '@outrigger/core';
import {
  type CacheView,
  type Controller,
  type EffectContext,
  type EffectHandlers,
  type KeyMemory,
  type Resource,
  defineController,
  watch,
} from '@outrigger/kube';
import { type ExaminedCertificates, factsOf } from '../credentials/certificates.js';
import type { CredentialEffects } from '../credentials/actions.js';
import { credentialEffects } from '../credentials/effects.js';
import type { CredentialSpec, CredentialState } from '../credentials/machine.js';
import type { CredentialProjection, PendingKeyProjection } from '../credentials/secrets.js';
import type { AddOnApiVersion, ClusterAddOnProjection } from '../resources/add-ons.js';
import type { RequestProjection } from '../resources/requests.js';
import { type RegistrationEffects, decide } from './decide.js';
import { type RegistrationSettings, type TokenSpec, wantedCredentials } from './specs.js';
import type { RegistrationMemory, RegistrationState } from './state.js';
import { requestToken } from './token.js';

export interface RegistrationControllerOptions {
  readonly settings: RegistrationSettings;
  readonly clusterAddOns: Resource<ClusterAddOnProjection>;
  readonly addOnApiVersion: AddOnApiVersion;
  readonly requests: Resource<RequestProjection, 'addOnName'>;
  readonly credentials: Resource<CredentialProjection, 'addOnName'>;
  readonly pendingKeys: Resource<PendingKeyProjection, 'credential'>;
  /** The namespace of the Secrets with pending keys. */
  readonly namespace: string;
}

/**
 * Maintains the credentials of the add-on's published registrations, and removes other credentials. The controller's keys are
 * ManagedClusterAddOns.
 */
export function registrationController(
  options: RegistrationControllerOptions,
): Controller<RegistrationState, RegistrationMemory, RegistrationEffects> {
  const { clusterName } = options.settings;
  const keyOfAddOn = (name: string): ObjectKey[] => (name === '' ? [] : [{ namespace: clusterName, name }]);
  return defineController<RegistrationState, RegistrationMemory, RegistrationEffects>({
    name: 'registration',
    watches: [
      watch(options.clusterAddOns, ({ before, after }) => keyOfAddOn((after ?? before)?.key.name ?? '')),
      watch(options.requests, ({ before, after }) => keyOfAddOn((after ?? before)?.addOnName ?? '')),
      watch(options.credentials, ({ before, after }) => keyOfAddOn((after ?? before)?.addOnName ?? '')),
      watch(options.pendingKeys, ({ before, after }) => keyOfAddOn(addOnOf((after ?? before)?.credentialId ?? ''))),
    ],
    observe: (view, key, memory) => observe(view, key, memory, options),
    decide,
    effects: {
      ...certificateEffects(options.namespace),
      requestToken,
    },
  });
}

/**
 * Returns the effects of the steps of a certificate. They keep facts about certificates in `certificates`, a part of this controller's
 * in-memory state.
 */
function certificateEffects(namespace: string): EffectHandlers<CredentialEffects, RegistrationMemory> {
  const { examine, begin, readdress, ask, store } = credentialEffects({ namespace });
  const within = ({ runtime, signal, client, remember }: EffectContext<RegistrationMemory>): EffectContext<ExaminedCertificates> => ({
    runtime,
    signal,
    client,
    remember: (update) => remember((memory) => ({ ...memory, certificates: update(memory?.certificates) })),
  });
  return {
    examine: (input, context) => examine(input, within(context)),
    begin: (input, context) => begin(input, within(context)),
    readdress: (input, context) => readdress(input, within(context)),
    ask: (input, context) => ask(input, within(context)),
    store: (input, context) => store(input, within(context)),
  };
}

/** Returns the add-on of a credential. The ids of add-on credentials are `<add-on>/…`; the id of the cluster's credential has no slash. */
function addOnOf(credentialId: string): string {
  return credentialId.includes('/') ? (credentialId.split('/')[0] ?? '') : '';
}

function observe(
  view: CacheView,
  key: ObjectKey,
  memory: KeyMemory<RegistrationMemory>,
  options: RegistrationControllerOptions,
): RegistrationState | undefined {
  const { settings, addOnApiVersion } = options;
  const clusterAddOn = view.get(options.clusterAddOns, key);
  const stored = view.byIndex(options.credentials, 'addOnName', key.name);
  const pending = [...view.list(options.pendingKeys)].filter(({ credentialId }) => addOnOf(credentialId) === key.name);
  if (!clusterAddOn && stored.length === 0 && pending.length === 0) return undefined;

  const wanted = clusterAddOn ? wantedCredentials(clusterAddOn, settings) : { certificates: [], token: undefined };
  const requests = view.byIndex(options.requests, 'addOnName', key.name);
  const credentialState = (spec: CredentialSpec): CredentialState => {
    const secret = stored.find((credential) => keyString(credential.key) === keyString(spec.secret));
    return {
      spec,
      stored: secret,
      certificate: factsOf(secret?.certificate, memory.remembered?.certificates),
      pending: pending.find(({ credentialId }) => credentialId === spec.id),
      requests,
    };
  };
  const wantedSecrets = new Set([...wanted.certificates, ...(wanted.token ? [wanted.token] : [])].map(({ secret }) => keyString(secret)));
  const wantedIds = new Set(wanted.certificates.map(({ id }) => id));
  return {
    clusterAddOn,
    settings,
    addOnApiVersion,
    certificates: wanted.certificates.map(credentialState),
    token: wanted.token && {
      spec: wanted.token,
      stored: stored.find((credential) => keyString(credential.key) === keyString((wanted.token as TokenSpec).secret)),
    },
    leftovers: {
      secrets: stored.filter(({ key: secret }) => !wantedSecrets.has(keyString(secret))),
      pending: pending.filter(({ credentialId }) => !wantedIds.has(credentialId)),
    },
    outcomes: memory,
    remembered: memory.remembered ?? {},
  };
}
