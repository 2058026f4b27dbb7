import { type ObjectKey, deepEqual, parseTime } from '@outrigger/core';
import { type Controller, type Resource, type SeenTime, ageOf, defineController, seeTime, watch } from '@outrigger/kube';
import { installNamespaceOf } from '../registration/specs.js';
import type { AddOnApiVersion, ClusterAddOnProjection } from '../resources/add-ons.js';
import type { OwnClusterProjection } from '../resources/own-cluster.js';
import { type HealthEffects, type HealthState, decide } from './decide.js';
import { LeaseWatches } from './leases.js';

export interface HealthControllerOptions {
  readonly clusterName: string;
  readonly clusterAddOns: Resource<ClusterAddOnProjection>;
  readonly addOnApiVersion: AddOnApiVersion;
  readonly ownCluster: Resource<OwnClusterProjection>;
}

interface HealthMemory {
  readonly renewed?: SeenTime | undefined;
  readonly created?: SeenTime | undefined;
}

interface ObservedHealth extends Omit<HealthState, 'leaseAgeMs' | 'addOnAgeMs'> {
  readonly lastSeen: HealthMemory;
}

/** Reports whether the leases of add-ons in lease mode are renewed. The controller's keys are ManagedClusterAddOns. */
export function healthController(options: HealthControllerOptions): Controller<ObservedHealth, HealthMemory, HealthEffects> {
  const leases = new LeaseWatches(options.clusterName);
  return defineController<ObservedHealth, HealthMemory, HealthEffects>({
    name: 'health',
    watches: [
      watch(options.clusterAddOns, ({ before, after }) => [(after ?? before)?.key ?? { name: '' }]),
      watch(options.ownCluster, ({ before, after }, view): ObjectKey[] => {
        const seen = (cluster: OwnClusterProjection | undefined): unknown =>
          cluster?.status.conditions?.map(({ type, status }) => [type, status]);
        return deepEqual(seen(before), seen(after)) ? [] : [...view.list(options.clusterAddOns)].map(({ key }) => key);
      }),
    ],
    sources: [leases],
    observe(view, key, { remembered = {} }) {
      const clusterAddOn = view.get(options.clusterAddOns, key);
      const isFollowing = leases.isFollowing(key.name);
      if (!clusterAddOn && !isFollowing) return undefined;
      const installNamespace = clusterAddOn ? installNamespaceOf(clusterAddOn) : '';
      const lease = leases.look(view, { namespace: installNamespace, name: key.name });
      return {
        clusterAddOn,
        addOnName: key.name,
        cluster: view.get(options.ownCluster, { name: options.clusterName }),
        installNamespace,
        lease,
        isFollowing,
        lastSeen: remembered,
        addOnApiVersion: options.addOnApiVersion,
      };
    },
    decide({ lastSeen, ...state }, now) {
      const { clusterAddOn, lease } = state;
      const renewed =
        lease.type === 'present' ? seeTime(lastSeen.renewed, lease.lease.uid, parseTime(lease.lease.renewTime), now) : lastSeen.renewed;
      const created = clusterAddOn && seeTime(lastSeen.created, clusterAddOn.uid, parseTime(clusterAddOn.createdAt), now);
      const leaseAgeMs = lease.type === 'present' && renewed ? ageOf(renewed, now) : undefined;
      const ages = { leaseAgeMs, addOnAgeMs: created && ageOf(created, now) };
      return { ...decide({ ...state, ...ages }, now), remember: { renewed, created } };
    },
    effects: {
      follow: async (lease) => leases.follow(lease),
      leave: async (addOnName) => leases.leave(addOnName),
    },
  });
}
