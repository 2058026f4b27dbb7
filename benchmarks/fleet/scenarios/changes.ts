import type { Fleet } from '../fleet.js';
import type { Scenario } from './index.js';

export const INSTALL = 'cold install';

/** Returns the number of add-ons of the whole fleet. */
export function allOf(fleet: Fleet): number {
  return fleet.clusterCount() * fleet.addOns.length;
}

export const install: Scenario = (fleet, row) =>
  row({
    name: INSTALL,
    count: allOf(fleet),
    works: allOf(fleet),
    act: () => fleet.declare(),
    isDone: () => fleet.seen.settled() === allOf(fleet),
  });

export const edit: Scenario = (fleet, row) =>
  row({
    name: 'template edit on all',
    count: allOf(fleet),
    works: allOf(fleet),
    act: () => fleet.edit(),
    isDone: () => hasMoved(fleet),
  });

/** Changes the templates of all add-ons back to the content of the install, which the hub still stores. */
export const rollback: Scenario = async (fleet, row) => {
  const first = 'example.com/agent:1';
  if (fleet.image() === first) return;
  await row({
    name: 'rollback on all',
    count: allOf(fleet),
    works: allOf(fleet),
    act: () => fleet.edit(first),
    isDone: () => hasMoved(fleet),
  });
};

export const join: Scenario = (fleet, row) =>
  row({
    name: 'one cluster joins',
    count: fleet.addOns.length,
    works: fleet.addOns.length,
    act: () => fleet.addClusters(1),
    isDone: () => fleet.seen.settled() === allOf(fleet),
  });

/** Whether every add-on runs the current content. */
export function hasMoved(fleet: Fleet): boolean {
  return fleet.seen.settled(fleet.image()) === allOf(fleet);
}
