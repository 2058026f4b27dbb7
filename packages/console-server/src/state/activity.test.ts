import { describe, expect, it } from 'vitest';
import { type CoreEvent, activityItem } from './activity.js';
import { ConsoleState, MOST_EVENTS } from './state.js';

const START = Date.parse('2026-11-16T03:00:00Z');
const MANY = MOST_EVENTS + 1_000;
const timeAt = (second: number): string => new Date(START + second * 1_000).toISOString();
const about = (kind: string, name: string, namespace?: string): CoreEvent['involvedObject'] => ({
  kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

/** Adds an Event that the API server created at a time, with the time that its writer chose. */
function add(state: ConsoleState, id: string, createdAt: string, at: string): void {
  const metadata = { name: id, namespace: 'c1', creationTimestamp: createdAt };
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject: about('ManagedClusterAddOn', 'hello', 'c1'),
    lastTimestamp: at,
  };
  state.setEvent(event, id);
}

describe('the Events that the console keeps', () => {
  it.each<[string, (index: number) => number]>([
    ['oldest first', (index) => index],
    ['newest first', (index) => MANY - 1 - index],
    ['in the order of their names', (index) => (index * 7) % MANY],
  ])('are the newest, if the API server lists them %s', (_, second) => {
    const state = new ConsoleState();
    for (let index = 0; index < MANY; index++) add(state, `e${second(index)}`, timeAt(second(index)), timeAt(second(index)));
    const missing = Array.from({ length: MOST_EVENTS }, (__, index) => `e${MANY - 1 - index}`).filter((id) => !state.activity.has(id));
    expect(missing).toEqual([]);
    expect(state.activity.size).toBeLessThan(MANY);
  });

  it('do not stay forever if their writer chose a time in the future', () => {
    const state = new ConsoleState();
    for (let index = 0; index < MANY; index++) add(state, `future${index}`, timeAt(0), '2099-01-01T00:00:00Z');
    for (let index = 0; index < MANY; index++) add(state, `e${index}`, timeAt(index + 1), timeAt(index + 1));
    expect([...state.activity.keys()].filter((id) => id.startsWith('future'))).toEqual([]);
    expect(state.activity.has(`e${MANY - 1}`)).toBe(true);
  });

  it('contain a repeated Event with its last time', () => {
    const state = new ConsoleState();
    for (let index = 0; index < MANY; index++) {
      add(state, `e${index}`, timeAt(index), timeAt(index));
      if (index % 100 === 0) add(state, 'repeated', timeAt(0), timeAt(index));
    }
    expect(state.activity.get('repeated')?.at).toBe(timeAt(MANY - (MANY % 100 || 100)));
  });
});

describe('AT-49 an Event that the agent of a cluster writes', () => {
  it.each<[string, CoreEvent['involvedObject'], string, boolean]>([
    ['about an add-on on its cluster is shown', about('ManagedClusterAddOn', 'hello', 'c1'), 'c1', true],
    ['about its cluster is shown', about('ManagedCluster', 'c1', 'c1'), 'c1', true],
    ['about another cluster is not shown', about('ManagedCluster', 'c2', 'c1'), 'c1', false],
    ['about an add-on of the fleet is not shown', about('ClusterManagementAddOn', 'hello', 'c1'), 'c1', false],
    ['about an add-on on another cluster is not shown', about('ManagedClusterAddOn', 'hello', 'c2'), 'c1', false],
    ['unlike one of the hub about a cluster', about('ManagedCluster', 'c1'), 'default', true],
    ['unlike one of the hub about an add-on of the fleet', about('ClusterManagementAddOn', 'hello'), 'default', true],
  ])('%s', (_, involvedObject, namespace, isShown) => {
    const event: CoreEvent = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace }, involvedObject };
    expect(activityItem(event, 'e') !== undefined).toBe(isShown);
  });
});
