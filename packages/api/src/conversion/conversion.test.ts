import type { KubeObject } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INSTALL_NAMESPACE_ANNOTATION, KUBE_CLIENT_SIGNER, NO_DEFAULT_CONFIG } from '../constants.js';
import type { ManagedClusterAddOn, ManagedClusterAddOnV1beta1 } from '../generated/addon.js';
import { convertObject } from './convert.js';
import { convertReview } from './review.js';
import { V1ALPHA1, V1BETA1 } from './versions.js';

const there = (object: KubeObject): KubeObject => convertObject(object, V1BETA1);
const back = (object: KubeObject): KubeObject => convertObject(object, V1ALPHA1);

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
/** Generates an object without undefined members, because JSON cannot contain undefined members. */
const compact = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(members).map((value) => Object.fromEntries(Object.entries(value as object).filter(([, v]) => v !== undefined)) as T);
const groupResource = { group: fc.constantFrom('', 'a.io'), resource: word };
const referent = compact({ namespace: maybe(word), name: word });
const hashed = compact({ namespace: maybe(word), name: word, specHash: maybe(word) });
const strategy = fc.constantFrom(
  { type: 'Manual' },
  { type: 'Placements', placements: [{ namespace: 'a', name: 'b', addonTemplate: { installVersion: 'v1' } }] },
);
const dependencies = fc.constantFrom(undefined, [{ name: 'other', type: 'Optional', message: 'less' }]);
const metadata = compact({ name: word, annotations: maybe(fc.constant({ note: 'kept' })) });

const managementV1alpha1 = compact({
  apiVersion: fc.constant(V1ALPHA1),
  kind: fc.constant('ClusterManagementAddOn'),
  metadata,
  spec: compact({
    supportedConfigs: maybe(fc.array(compact({ ...groupResource, defaultConfig: maybe(referent) }), { maxLength: 3 })),
    installStrategy: maybe(strategy),
    dependencies,
  }),
  status: maybe(
    compact({
      supportedVersions: maybe(fc.array(word, { maxLength: 2 })),
      defaultVersion: maybe(word),
      defaultconfigReferences: maybe(fc.array(compact({ ...groupResource, desiredConfig: maybe(hashed) }), { maxLength: 2 })),
    }),
  ),
});

const customSigner = compact({
  signerName: fc.constant('example.com/signer'),
  subject: maybe(compact({ user: maybe(word), groups: maybe(fc.array(word)), organizationUnit: maybe(fc.array(word)) })),
});
const kubeClient = compact({
  signerName: fc.constant(KUBE_CLIENT_SIGNER),
  subject: maybe(compact({ user: maybe(word), groups: maybe(fc.array(word)) })),
});
/** Generates a reference as the manager writes it, with the name of desiredConfig repeated at the top level. */
const reference = compact({
  ...groupResource,
  lastObservedGeneration: maybe(fc.nat()),
  desiredConfig: hashed,
  lastAppliedConfig: maybe(hashed),
}).map((ref) => ({
  ...ref,
  name: ref.desiredConfig.name,
  ...(ref.desiredConfig.namespace === undefined ? {} : { namespace: ref.desiredConfig.namespace }),
}));

const addOnV1alpha1 = compact({
  apiVersion: fc.constant(V1ALPHA1),
  kind: fc.constant('ManagedClusterAddOn'),
  metadata,
  spec: compact({
    installNamespace: maybe(word),
    installVersion: maybe(word),
    configs: maybe(fc.array(compact({ ...groupResource, namespace: maybe(word), name: word }), { maxLength: 2 })),
  }),
  status: maybe(
    compact({
      currentVersion: maybe(word),
      lastVersion: maybe(word),
      installVersion: maybe(word),
      namespace: maybe(word),
      configReferences: maybe(fc.array(reference, { maxLength: 3 })),
      // In v1beta1 the driver can be represented only together with a kube client registration.
      registrations: fc.tuple(kubeClient, fc.array(customSigner, { maxLength: 2 })).map(([first, others]) => [first, ...others]),
      kubeClientDriver: maybe(fc.constantFrom('csr', 'token')),
    }),
  ),
});

describe('conversion', () => {
  it('brings every ClusterManagementAddOn back unchanged', () => {
    fc.assert(
      fc.property(managementV1alpha1, (object) => {
        expect(back(there(object as unknown as KubeObject))).toStrictEqual(object);
      }),
    );
  });

  it('brings every ManagedClusterAddOn back unchanged', () => {
    fc.assert(
      fc.property(addOnV1alpha1, (object) => {
        expect(back(there(object as unknown as KubeObject))).toStrictEqual(object);
      }),
    );
  });

  it('brings every v1beta1 object back unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(managementV1alpha1, addOnV1alpha1), (object) => {
        const beta = there(object as unknown as KubeObject);
        expect(there(back(beta))).toStrictEqual(beta);
      }),
    );
  });

  it('leaves its argument alone', () => {
    fc.assert(
      fc.property(addOnV1alpha1, (object) => {
        const before = structuredClone(object);
        there(object as unknown as KubeObject);
        expect(object).toEqual(before);
      }),
    );
  });

  it('names the absence of a default configuration', () => {
    const beta = there({
      apiVersion: V1ALPHA1,
      kind: 'ClusterManagementAddOn',
      metadata: {},
      spec: { supportedConfigs: [{ group: 'g', resource: 'r' }] },
    } as never);
    expect(beta).toMatchObject({ spec: { defaultConfigs: [{ group: 'g', resource: 'r', name: NO_DEFAULT_CONFIG }] } });
  });

  it('drops fields that v1beta1 does not have', () => {
    const object = {
      apiVersion: V1ALPHA1,
      kind: 'ManagedClusterAddOn',
      metadata: {},
      spec: {},
      status: {
        addOnConfiguration: { crName: 'x' },
        registrations: [{ signerName: KUBE_CLIENT_SIGNER, subject: { user: 'u', organizationUnit: ['ou'] } }],
      },
    } as ManagedClusterAddOn;
    expect(there(object)).toMatchObject({ status: { registrations: [{ type: 'kubeClient', kubeClient: { subject: { user: 'u' } } }] } });
    expect(there(object)).not.toHaveProperty('status.addOnConfiguration');
    expect(there(object)).not.toHaveProperty('status.registrations.0.kubeClient.subject.organizationUnit');
  });

  it('keeps the install namespace in an annotation, unless it is empty', () => {
    const at = (installNamespace: string): KubeObject =>
      there({
        apiVersion: V1ALPHA1,
        kind: 'ManagedClusterAddOn',
        metadata: { name: 'a' },
        spec: { installNamespace },
      } as ManagedClusterAddOn);
    expect(at('here').metadata.annotations).toEqual({ [INSTALL_NAMESPACE_ANNOTATION]: 'here' });
    expect(at('').metadata).toEqual({ name: 'a' });
  });

  it('gives every kube client the driver of the add-on, and takes it back from the first', () => {
    const object = {
      apiVersion: V1ALPHA1,
      kind: 'ManagedClusterAddOn',
      metadata: {},
      spec: {},
      status: { kubeClientDriver: 'token', registrations: [{ signerName: KUBE_CLIENT_SIGNER }, { signerName: KUBE_CLIENT_SIGNER }] },
    } as ManagedClusterAddOn;
    const beta = there(object) as ManagedClusterAddOnV1beta1;
    expect(beta.status?.registrations?.map((r) => r.kubeClient?.driver)).toEqual(['token', 'token']);
    expect(back(beta)).toMatchObject({ status: { kubeClientDriver: 'token' } });
  });

  it('takes the name of a reference from the configuration in use, if no other is desired', () => {
    const object = {
      apiVersion: V1BETA1,
      kind: 'ManagedClusterAddOn',
      metadata: {},
      spec: {},
      status: { configReferences: [{ group: 'g', resource: 'r', lastAppliedConfig: { name: 'n', namespace: 'ns' } }] },
    } as ManagedClusterAddOnV1beta1;
    expect(back(object)).toMatchObject({ status: { configReferences: [{ name: 'n', namespace: 'ns' }] } });
  });

  it('gives a kube client its sub-object, even if nothing is in it', () => {
    const status = { registrations: [{ signerName: KUBE_CLIENT_SIGNER }] };
    const object = { apiVersion: V1ALPHA1, kind: 'ManagedClusterAddOn', metadata: {}, spec: {}, status } as ManagedClusterAddOn;
    expect(there(object)).toMatchObject({ status: { registrations: [{ type: 'kubeClient', kubeClient: {} }] } });
    expect(back(there(object))).toEqual(object);
  });

  it('keeps the name of a reference that has no digest yet, as the configuration seed writes it', () => {
    const object = {
      apiVersion: V1ALPHA1,
      kind: 'ManagedClusterAddOn',
      metadata: {},
      spec: {},
      status: { configReferences: [{ group: 'g', resource: 'r', name: 'n', namespace: 'ns', lastObservedGeneration: 1 }] },
    } as ManagedClusterAddOn;
    expect(back(there(object))).toMatchObject({
      status: { configReferences: [{ name: 'n', namespace: 'ns', lastObservedGeneration: 1 }] },
    });
  });
});

describe('convertReview', () => {
  const addOn = { apiVersion: V1ALPHA1, kind: 'AddOnTemplate', metadata: { name: 't' } };
  const ask = (objects: readonly KubeObject[], desiredAPIVersion = V1BETA1): unknown => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'u1', desiredAPIVersion, objects },
  });

  it('answers with the objects in order, under the uid of the question', () => {
    const { response } = convertReview(ask([addOn, { ...addOn, metadata: { name: 'second' } }]));
    expect(response?.uid).toBe('u1');
    expect(response?.result.status).toBe('Success');
    expect(response?.convertedObjects?.map((o) => `${o.apiVersion} ${o.metadata.name}`)).toEqual([`${V1BETA1} t`, `${V1BETA1} second`]);
  });

  it.each([
    { name: 'a kind it does not know', objects: [addOn, { ...addOn, kind: 'Pod' }], to: V1BETA1 },
    { name: 'a version it does not know', objects: [addOn], to: 'addon.open-cluster-management.io/v7' },
    { name: 'a kind named like a member of every object', objects: [{ ...addOn, kind: 'constructor' }], to: V1BETA1 },
  ])('converts nothing when one of them is $name', ({ objects, to }) => {
    const { response } = convertReview(ask(objects, to));
    expect(response).toMatchObject({ uid: 'u1', result: { status: 'Failure', message: expect.stringContaining('cannot convert') } });
    expect(response).not.toHaveProperty('convertedObjects');
  });

  it('stores no registration without its signer', () => {
    const status = { registrations: [{ type: 'kubeClient' }, { type: 'customSigner' }] };
    const object = { apiVersion: V1BETA1, kind: 'ManagedClusterAddOn', metadata: { name: 'a' }, spec: {}, status } as KubeObject;
    expect(convertReview(ask([object], V1ALPHA1)).response?.result).toEqual({
      status: 'Failure',
      message: 'status.registrations[1].customSigner: required with type customSigner',
    });
  });

  it('refuses a body that is not a review', () => {
    expect(() => convertReview({ request: { uid: 'u' } })).toThrow(/not a ConversionReview/);
  });
});
