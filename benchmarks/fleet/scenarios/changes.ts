import type { Fleet } from '../fleet.js';
import type { Scenario } from './index.js';

export const INSTALL = 'cold install';

/** Returns the number of add-ons of the whole fleet. */
export function allOf(fleet: Fleet): number {
  return fleet.clusterCount() * fleet.addOns.length;
}

export const install: Scenario = (fleet, row) =>
  row({ name: INSTALL, count: allOf(fleet), act: () => fleet.declare(), isDone: () => fleet.seen.settled() === allOf(fleet) });

export const edit: Scenario = (fleet, row) =>
  row({ name: 'template edit on all', count: allOf(fleet), act: () => fleet.edit(), isDone: () => hasMoved(fleet) });

/** Returns to the content of the installation, which the hub still stores. */
export const rollback: Scenario = async (fleet, row) => {
  const first = 'example.com/agent:1';
  if (fleet.image() === first) return;
  await row({ name: 'rollback on all', count: allOf(fleet), act: () => fleet.edit(first), isDone: () => hasMoved(fleet) });
};

export const join: Scenario = (fleet, row) =>
  row({
    name: 'one cluster joins',
    count: fleet.addOns.length,
    act: () => fleet.addClusters(1),
    isDone: () => fleet.seen.settled() === allOf(fleet),
  });

export const away: Scenario = async (fleet, row) => {
  const { swarm, seen } = fleet;
  swarm.vanish(0.1);
  const gone = Math.ceil(fleet.clusterCount() / 10) * fleet.addOns.length;
  const isDone = (): boolean => seen.settled(fleet.image()) === allOf(fleet) - gone;
  await row({ name: 'edit while 10 % are away', count: allOf(fleet), act: () => fleet.edit(), isDone });
  await row({ name: '10 % return', count: gone, act: async () => swarm.vanish(0), isDone: () => hasMoved(fleet) });
};

/** Whether every add-on runs the current content. */
export function hasMoved(fleet: Fleet): boolean {
  return fleet.seen.settled(fleet.image()) === allOf(fleet);
}
