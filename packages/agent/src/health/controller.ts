import { type Clock, type ObjectKey, deepEqual } from '@outrigger/core';
import { type Controller, type Resource, defineController, watch } from '@outrigger/kube';
import { installNamespaceOf } from '../registration/specs.js';
import type { AddOnApiVersion, AddOnRecord } from '../resources/add-ons.js';
import type { OwnClusterRecord } from '../resources/own-cluster.js';
import { type FollowInput, type HealthState, decide } from './decide.js';
import { WitnessedAges } from '../witnessed-ages.js';
import type { LeaseWatches } from './leases.js';

export interface HealthControllerOptions {
  readonly clusterName: string;
  readonly clock: Clock;
  readonly addOns: Resource<AddOnRecord>;
  readonly addOnApiVersion: AddOnApiVersion;
  readonly ownCluster: Resource<OwnClusterRecord>;
  readonly leases: LeaseWatches;
}

/** Keyed by ManagedClusterAddOn: reports whether the add-on's lease is renewed, for add-ons in lease mode. */
export function healthController(options: HealthControllerOptions): Controller<HealthState> {
  const ages = new WitnessedAges(options.clock);
  const addOnAges = new WitnessedAges(options.clock);
  const { leases } = options;
  return defineController({
    name: 'health',
    watches: [
      watch(options.addOns, ({ before, after }) => [(after ?? before)?.key ?? { name: '' }]),
      watch(options.ownCluster, ({ before, after }, view): ObjectKey[] => {
        const seen = (cluster: OwnClusterRecord | undefined): unknown =>
          cluster?.status.conditions?.map(({ type, status }) => [type, status]);
        return deepEqual(seen(before), seen(after)) ? [] : [...view.list(options.addOns)].map(({ key }) => key);
      }),
    ],
    observe(view, key) {
      const addOn = view.get(options.addOns, key);
      const isFollowing = leases.isFollowing(key.name);
      if (!addOn && !isFollowing) return undefined;
      const installNamespace = addOn ? installNamespaceOf(addOn) : '';
      const lease = leases.look(view, { namespace: installNamespace, name: key.name });
      return {
        addOn,
        addOnName: key.name,
        cluster: view.get(options.ownCluster, { name: options.clusterName }),
        installNamespace,
        lease,
        leaseAgeMs: lease.type === 'present' ? ages.ageOf(lease.lease.uid, lease.lease.renewTime) : undefined,
        isFollowing,
        addOnAgeMs: addOn && addOnAges.ageOf(addOn.uid, addOn.createdAt),
        addOnApiVersion: options.addOnApiVersion,
      };
    },
    decide,
    effects: {
      follow: async (input) => leases.follow(input as FollowInput),
      leave: async (input) => leases.leave(input as string),
    },
  });
}
