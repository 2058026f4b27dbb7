import { clusterManagementAddOns } from '@outrigger/api';
import { allOf } from './changes.js';
import type { Scenario } from './index.js';
import { untilAllQuiet } from './managers.js';

/** An add-on on which another add-on depends stops on all clusters, and runs again later. The fleet needs at least two add-ons. */
export const dependency: Scenario = async (fleet, row) => {
  const { client, swarm, seen, addOns } = fleet;
  const [base, dependent] = addOns;
  if (base === undefined || dependent === undefined) return;
  const depend = (dependencies: readonly object[]): Promise<unknown> =>
    client.patch(clusterManagementAddOns, { name: dependent }, { type: 'merge', patch: { spec: { dependencies: dependencies as never } } });
  await depend([{ name: base }]);
  await untilAllQuiet(fleet);
  const affected = 2 * fleet.clusterCount();
  await row({
    name: 'a dependency stops on all',
    count: affected,
    act: async () => swarm.stopAddOn(base),
    isDone: () => seen.settled() === allOf(fleet) - affected,
  });
  await row({
    name: 'the dependency recovers',
    count: affected,
    act: async () => swarm.stopAddOn(''),
    isDone: () => seen.settled() === allOf(fleet),
  });
  await depend([]);
  await untilAllQuiet(fleet);
};
