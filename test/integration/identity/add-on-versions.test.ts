import {
  type CertificateSigningRequest,
  type ManagedClusterAddOnV1beta1,
  addOnToV1alpha1,
  addOnToV1beta1,
  certificateSigningRequests,
  clusterRoleBindings,
  defaultSubject,
  leases,
  managedClusterAddOns,
  managedClusterAddOnsV1beta1,
  managedClusters,
  namespaces,
} from '@outrigger/api';
import { type Condition, type Kind, findCondition } from '@outrigger/core';
import { readCertificate } from '@outrigger/core/x509';
import { describe, expect, it } from 'vitest';
import {
  ADDON_NAMESPACE,
  CLUSTER,
  type IdentityWorld,
  announced,
  credential,
  found,
  giveBootstrap,
  renewLease,
  secretsOf,
} from './scenario.js';
import { VirtualWorld } from './world.js';
import type { Definition } from '../../world/simulation.js';

type Version = 'v1alpha1' | 'v1beta1';

/** Makes the hub serve and store only one version of ManagedClusterAddOn, as an older or newer upstream does. */
function serving(version: Version): (crd: Definition) => Definition {
  return (crd) => {
    if (crd.spec.names.kind !== 'ManagedClusterAddOn') return crd;
    const { conversion: _, ...spec } = crd.spec;
    const versions = spec.versions.filter(({ name }) => name === version).map((one) => ({ ...one, served: true, storage: true }));
    return { ...crd, spec: { ...spec, versions } };
  };
}

const ADDON = 'other';

/**
 * These tests use the hub of another manager, on which no component of Outrigger runs. The test itself performs the steps of the hub that
 * an agent needs.
 */
describe.each<{ version: Version }>([{ version: 'v1alpha1' }, { version: 'v1beta1' }])('a hub that serves $version only', ({ version }) => {
  const kind: Kind = version === 'v1alpha1' ? managedClusterAddOns : managedClusterAddOnsV1beta1;
  const key = { namespace: CLUSTER, name: ADDON };

  async function read({ hub }: IdentityWorld): Promise<ManagedClusterAddOnV1beta1> {
    const object = await hub.get(kind, key);
    return version === 'v1alpha1' ? addOnToV1beta1(object as never) : (object as ManagedClusterAddOnV1beta1);
  }

  async function publish({ hub }: IdentityWorld): Promise<void> {
    const subject = defaultSubject(CLUSTER, ADDON);
    const told: ManagedClusterAddOnV1beta1 = {
      apiVersion: 'addon.open-cluster-management.io/v1beta1',
      kind: 'ManagedClusterAddOn',
      metadata: key,
      spec: {},
      status: {
        namespace: ADDON_NAMESPACE,
        healthCheck: { mode: 'Lease' },
        registrations: [{ type: 'kubeClient', kubeClient: { subject } }],
      },
    };
    const object = version === 'v1alpha1' ? addOnToV1alpha1(told) : told;
    await hub.create(kind, { apiVersion: object.apiVersion, kind: object.kind, metadata: key, spec: {} } as never);
    await hub.patch(kind, key, { type: 'merge', patch: { status: object.status as never } }, { subresource: 'status' });
  }

  async function approve({ hub }: IdentityWorld, request: CertificateSigningRequest): Promise<void> {
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Person', message: 'by hand' }];
    const name = request.metadata.name ?? '';
    await hub.patch(
      certificateSigningRequests,
      { name },
      { type: 'merge', patch: { status: { conditions } } },
      { subresource: 'approval' },
    );
  }

  async function pending({ hub, eventually }: IdentityWorld): Promise<CertificateSigningRequest> {
    return eventually('a certificate request', async () =>
      (await hub.list(certificateSigningRequests)).items.find(({ status }) => (status?.conditions ?? []).length === 0),
    );
  }

  /** Does what every hub does for an accepted cluster, but grants more permissions than a hub would. */
  async function accept({ hub, runtime }: IdentityWorld): Promise<void> {
    await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTER } });
    await hub.create(leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'managed-cluster-lease', namespace: CLUSTER },
      spec: { holderIdentity: 'managed-cluster-lease', leaseDurationSeconds: 60 },
    });
    await hub.create(clusterRoleBindings, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'agent' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: `system:open-cluster-management:${CLUSTER}` }],
    });
    const accepted: Condition = {
      type: 'HubAcceptedManagedCluster',
      status: 'True',
      reason: 'HubClusterAdminAccepted',
      message: '',
      lastTransitionTime: new Date(runtime.clock.now()).toISOString(),
    };
    const patch = { status: { conditions: [accepted] as never } };
    await hub.patch(managedClusters, { name: CLUSTER }, { type: 'merge', patch }, { subresource: 'status' });
  }

  it('joins, and its add-ons get their credential and report their driver and their health', async () => {
    const world = await VirtualWorld.start(71, serving(version));
    const story = await world.story();
    await world.run(
      (async () => {
        await giveBootstrap(story, { token: 'joiner' });
        await world.startAgent();
        await announced(story);
        await accept(story);
        await approve(story, await pending(story));
        await publish(story);
        await renewLease(story, ADDON);
        await story.eventually('the driver is told', async () =>
          (await read(story)).status?.registrations?.[0]?.kubeClient?.driver === 'csr' ? true : undefined,
        );
        const request = await pending(story);
        expect(request.metadata.labels).toMatchObject({ 'open-cluster-management.io/addon-name': ADDON });
        await approve(story, request);
        const kube = await credential(story, `${ADDON}-hub-kubeconfig`);
        expect((await readCertificate(world.person.keys, kube['tls.crt'] ?? '')).subject.commonName).toBe(
          defaultSubject(CLUSTER, ADDON).user,
        );
        const status = await story.eventually('its conditions', async () => {
          const conditions = (await read(story)).status?.conditions;
          const isTold = findCondition(conditions, 'Available')?.status === 'True';
          return isTold && findCondition(conditions, 'ClusterCertificateRotated')?.status === 'True'
            ? (await read(story)).status
            : undefined;
        });
        // The fields that the hub wrote are unchanged.
        expect(status?.registrations).toEqual([
          { type: 'kubeClient', kubeClient: { subject: defaultSubject(CLUSTER, ADDON), driver: 'csr' } },
        ]);
        expect(status?.namespace).toBe(ADDON_NAMESPACE);
        await world.hub.delete(kind, key);
        await story.eventually('its Secret is gone', async () => ((await secretsOf(story, ADDON)).length === 0 ? true : undefined));
        expect(await found(story.hub.get(kind, key))).toBeUndefined();
      })(),
    );
  });
});
