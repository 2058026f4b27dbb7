import { addOnTemplates, managedClusterAddOns } from '@outrigger/api';
import { templateOf } from '../../../test/integration/addon/objects.js';
import { until } from '../../footprint/hub.js';
import type { Fleet } from '../fleet.js';
import { allOf } from './changes.js';
import type { Scenario } from './index.js';
import { untilAllQuiet } from './managers.js';

/** An edit of the template of one add-on. It changes the works of this add-on on all clusters. */
export const editOne: Scenario = async (fleet, row) => {
  const addOn = firstOf(fleet);
  const image = 'example.com/agent:one';
  const count = fleet.clusterCount();
  await row({
    name: 'template edit of one add-on',
    count,
    works: count,
    act: () => changeTemplate(fleet, addOn, addOn, image),
    isDone: () => fleet.seen.settled(image) === count,
  });
};

const HUNDRED = 100;

/**
 * An edit of a template that only 100 clusters use. Before the measurement, overrides of the first add-on select this template on these
 * clusters. After the measurement, the clusters return to the template of the declaration.
 */
export const editHundred: Scenario = async (fleet, row) => {
  const { client, seen } = fleet;
  const addOn = firstOf(fleet);
  const count = Math.min(HUNDRED, fleet.clusterCount());
  const name = `${addOn}-hundred`;
  const imageOf = (version: number): string => `example.com/agent:hundred-${version}`;
  await client.create(addOnTemplates, templateOf(addOn, { name, image: imageOf(1) }));
  const configs = [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', name }];
  await override(fleet, addOn, count, configs);
  await until('100 clusters have their own template', () => seen.settled(imageOf(1)) === count, fleet.limitMs);
  await untilAllQuiet(fleet);
  await row({
    name: `template edit on ${count} clusters`,
    count,
    works: count,
    act: () => changeTemplate(fleet, addOn, name, imageOf(2)),
    isDone: () => seen.settled(imageOf(2)) === count,
  });
  await override(fleet, addOn, count, []);
  const hasReturned = (): boolean => seen.settled(imageOf(2)) === 0 && seen.settled() === allOf(fleet);
  await until('the clusters have returned to the template of the declaration', hasReturned, fleet.limitMs);
  await untilAllQuiet(fleet);
  await client.delete(addOnTemplates, { name });
};

async function override({ client }: Fleet, addOn: string, count: number, configs: readonly object[]): Promise<void> {
  const patch = { spec: { configs: configs as never } };
  await Promise.all(
    Array.from({ length: count }, (_, cluster) =>
      client.patch(managedClusterAddOns, { namespace: `c${cluster}`, name: addOn }, { type: 'merge', patch }),
    ),
  );
}

async function changeTemplate({ client }: Fleet, addOn: string, name: string, image: string): Promise<void> {
  const { spec } = templateOf(addOn, { image });
  await client.patch(addOnTemplates, { name }, { type: 'merge', patch: { spec: spec as never } });
}

function firstOf({ addOns }: Fleet): string {
  const [first] = addOns;
  if (first === undefined) throw new Error('an edit needs an add-on: use --addons 1 or more');
  return first;
}
