import { type ObjectKey, keyString } from '@outrigger/core';
import { type CacheView, type Controller, type KeyMemory, type Resource, defineController, watch } from '@outrigger/kube';
import { type ExaminedCertificates, factsOf } from '../credentials/certificates.js';
import { credentialEffects } from '../credentials/effects.js';
import type { CredentialSpec, CredentialState } from '../credentials/machine.js';
import type { CredentialRecord, PendingRecord } from '../credentials/secrets.js';
import type { AddOnApiVersion, AddOnRecord } from '../resources/add-ons.js';
import type { RequestRecord } from '../resources/requests.js';
import { type RegistrationEffects, decide } from './decide.js';
import { type RegistrationSettings, type TokenSpec, wantedCredentials } from './specs.js';
import type { RegistrationState } from './state.js';
import { requestToken } from './token.js';

export interface RegistrationControllerOptions {
  readonly settings: RegistrationSettings;
  readonly addOns: Resource<AddOnRecord>;
  readonly addOnApiVersion: AddOnApiVersion;
  readonly requests: Resource<RequestRecord, 'addOn'>;
  readonly credentials: Resource<CredentialRecord, 'addOn'>;
  readonly pendingKeys: Resource<PendingRecord, 'credential'>;
  /** The namespace of the Secrets with pending keys. */
  readonly namespace: string;
}

/** Keyed by ManagedClusterAddOn: keeps the credentials that the hub publishes for the add-on, and removes others. */
export function registrationController(
  options: RegistrationControllerOptions,
): Controller<RegistrationState, ExaminedCertificates, RegistrationEffects> {
  const { clusterName } = options.settings;
  const keyOfAddOn = (name: string): ObjectKey[] => (name === '' ? [] : [{ namespace: clusterName, name }]);
  return defineController<RegistrationState, ExaminedCertificates, RegistrationEffects>({
    name: 'registration',
    watches: [
      watch(options.addOns, ({ before, after }) => keyOfAddOn((after ?? before)?.key.name ?? '')),
      watch(options.requests, ({ before, after }) => keyOfAddOn((after ?? before)?.addOnName ?? '')),
      watch(options.credentials, ({ before, after }) => keyOfAddOn((after ?? before)?.addOnName ?? '')),
      watch(options.pendingKeys, ({ before, after }) => keyOfAddOn(addOnOf((after ?? before)?.credentialId ?? ''))),
    ],
    observe: (view, key, memory) => observe(view, key, memory, options),
    decide,
    effects: {
      ...credentialEffects({ namespace: options.namespace }),
      requestToken,
    },
  });
}

/** Ids of add-on credentials are `<add-on>/…`; the id of the cluster's credential has no slash. */
function addOnOf(credentialId: string): string {
  return credentialId.includes('/') ? (credentialId.split('/')[0] ?? '') : '';
}

function observe(
  view: CacheView,
  key: ObjectKey,
  memory: KeyMemory<ExaminedCertificates>,
  options: RegistrationControllerOptions,
): RegistrationState | undefined {
  const { settings, addOnApiVersion } = options;
  const addOn = view.get(options.addOns, key);
  const stored = view.byIndex(options.credentials, 'addOn', key.name);
  const pending = [...view.list(options.pendingKeys)].filter(({ credentialId }) => addOnOf(credentialId) === key.name);
  if (!addOn && stored.length === 0 && pending.length === 0) return undefined;

  const wanted = addOn ? wantedCredentials(addOn, settings) : { certificates: [], token: undefined };
  const requests = view.byIndex(options.requests, 'addOn', key.name);
  const credentialState = (spec: CredentialSpec): CredentialState => {
    const secret = stored.find((record) => keyString(record.key) === keyString(spec.secret));
    return {
      spec,
      stored: secret,
      certificate: factsOf(secret?.certificate, memory.remembered),
      pending: pending.find(({ credentialId }) => credentialId === spec.id),
      requests,
    };
  };
  const wantedSecrets = new Set([...wanted.certificates, ...(wanted.token ? [wanted.token] : [])].map(({ secret }) => keyString(secret)));
  const wantedIds = new Set(wanted.certificates.map(({ id }) => id));
  return {
    addOn,
    settings,
    addOnApiVersion,
    certificates: wanted.certificates.map(credentialState),
    token: wanted.token && {
      spec: wanted.token,
      stored: stored.find((record) => keyString(record.key) === keyString((wanted.token as TokenSpec).secret)),
    },
    leftovers: {
      secrets: stored.filter(({ key: secret }) => !wantedSecrets.has(keyString(secret))),
      pending: pending.filter(({ credentialId }) => !wantedIds.has(credentialId)),
    },
    outcomes: memory,
  };
}
