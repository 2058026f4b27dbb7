import { encodeFleet } from '@outrigger/console-contract';
import { applyFleetDelta, decodeFleet } from '@outrigger/console-contract/testing';
import type { KubeObject } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { stateOf } from './cells.js';
import { fleetDelta, fleetTable } from './fleet.js';
import { SEES_ALL, type Sight } from './sight.js';
import { summaryOf } from './summary.js';

const CLUSTERS = ['c1', 'c2', 'c3'];
const ADD_ONS = ['hello', 'metrics'];
const SOME: Sight = { ...SEES_ALL, seesAddOns: (name) => name === 'c1', seesCluster: (name) => name === 'c1' || name === 'c2' };
const HIDDEN: Sight = { ...SOME, seesDeclarations: false, seesRollouts: false, seesCluster: () => false };
const NOTHING: Sight = { ...HIDDEN, seesAddOns: () => false };

const condition = (type: string, status: string, reason: string, message = ''): object => ({ type, status, reason, message });
const object = (fields: object): KubeObject => ({ apiVersion: 'v1', kind: 'Any', ...fields }) as KubeObject;
const managedCluster = (name: string, available: string): KubeObject =>
  object({
    metadata: { name, labels: { region: available } },
    spec: { hubAcceptsClient: true },
    status: { conditions: [condition('ManagedClusterConditionAvailable', available, 'Any')] },
  });
const addOn = (cluster: string, name: string, version: string, isFailed: boolean): KubeObject =>
  object({
    metadata: { namespace: cluster, name },
    spec: {},
    status: {
      currentVersion: version,
      conditions: [
        condition('Configured', 'True', 'ConfigurationsConfigured'),
        condition('Progressing', 'False', isFailed ? 'Failed' : 'Succeed', `pod on ${cluster}: ImagePullBackOff`),
        condition('Available', 'True', 'ProbeAvailable'),
      ],
    },
  });
const rollout = (name: string, revision: number): KubeObject =>
  object({
    metadata: { name },
    spec: {},
    status: {
      state: 'Progressing',
      history: [
        { revision: 1, version: 'v1', digest: 'a' },
        { revision: 2, version: 'v2', digest: 'b' },
      ],
      entries: [{ name: 'default', targetRevision: revision, members: CLUSTERS }],
    },
  });
const declaration = (name: string): KubeObject => object({ metadata: { name }, spec: { addOnMeta: { displayName: name } } });

type Step = (state: ConsoleState) => void;
const cluster = fc.constantFrom(...CLUSTERS);
const name = fc.constantFrom(...ADD_ONS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(cluster, fc.constantFrom('True', 'False', 'Unknown')).map(
    ([one, status]): Step =>
      (state) =>
        state.setCluster(managedCluster(one, status), one),
  ),
  cluster.map(
    (one): Step =>
      (state) =>
        state.setCluster(undefined, one),
  ),
  fc.tuple(cluster, name, fc.constantFrom('v1', 'v2'), fc.boolean()).map(
    ([one, what, version, isFailed]): Step =>
      (state) =>
        state.setAddOn(addOn(one, what, version, isFailed), one, what),
  ),
  fc.tuple(cluster, name).map(
    ([one, what]): Step =>
      (state) =>
        state.setAddOn(undefined, one, what),
  ),
  fc.tuple(name, fc.constantFrom(1, 2)).map(
    ([what, revision]): Step =>
      (state) =>
        state.setRollout(rollout(what, revision), what),
  ),
  name.map(
    (what): Step =>
      (state) =>
        state.setRollout(undefined, what),
  ),
  name.map(
    (what): Step =>
      (state) =>
        state.setDeclaration(declaration(what), what),
  ),
  name.map(
    (what): Step =>
      (state) =>
        state.setDeclaration(undefined, what),
  ),
);

describe('a snapshot and the deltas after it', () => {
  it.each([
    ['everything', SEES_ALL],
    ['some clusters', SOME],
    ['add-ons of one cluster only', HIDDEN],
    ['nothing', NOTHING],
  ])('are the fleet as a fresh snapshot shows it to a user who sees %s', (_, sight) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 5 }), (first, batches) => {
        const state = new ConsoleState();
        const moment = (): { epoch: string; sequence: number; now: number } => ({ epoch: 'e', sequence: state.log.sequence, now: 0 });
        for (const run of first) run(state);
        let browser = decodeFleet(encodeFleet(fleetTable(state, sight, moment())));
        for (const batch of batches) {
          for (const run of batch) run(state);
          const changes = state.log.after(browser.sequence) ?? [];
          browser = applyFleetDelta(browser, fleetDelta(state, sight, browser.sequence, state.log.sequence, changes)) ?? browser;
        }
        expect(browser).toEqual(decodeFleet(encodeFleet(fleetTable(state, sight, moment()))));
      }),
      { numRuns: 200 },
    );
  });
});

describe('totals', () => {
  it('count only what the user may see, and name nothing else', () => {
    const state = new ConsoleState();
    for (const one of CLUSTERS) {
      state.setCluster(managedCluster(one, 'True'), one);
      state.setAddOn(addOn(one, 'hello', 'v1', one === 'c3'), one, 'hello');
    }
    state.setDeclaration(declaration('metrics'), 'metrics');
    const summary = summaryOf(state, HIDDEN, 0);
    expect(summary.cells).toMatchObject({ available: 1, failed: 0 });
    expect(summary.failures).toEqual([]);
    expect(JSON.stringify([summary, fleetTable(state, HIDDEN, { epoch: '', sequence: 0, now: 0 })])).not.toMatch(/c2|c3|metrics/);
    const empty = summaryOf(state, NOTHING, 0);
    expect([...Object.values(empty.clusters), ...Object.values(empty.cells)].every((count) => count === 0)).toBe(true);
    expect(empty).toMatchObject({ addOns: [], attention: [], failures: [] });
  });

  it('group failures by reason, with the add-ons of each group, whatever the cluster in the message', () => {
    const state = new ConsoleState();
    for (const one of CLUSTERS) state.setAddOn(addOn(one, 'hello', 'v1', true), one, 'hello');
    for (const one of CLUSTERS.slice(0, 2)) state.setAddOn(addOn(one, 'metrics', 'v1', true), one, 'metrics');
    const [group, ...others] = summaryOf(state, SEES_ALL, 0).failures;
    expect(others).toEqual([]);
    expect(group).toMatchObject({
      reason: 'ImagePullBackOff',
      count: 5,
      addOns: [
        { name: 'hello', count: 3 },
        { name: 'metrics', count: 2 },
      ],
      moreMessages: 0,
      clusters: CLUSTERS,
    });
    expect(group?.messages).toEqual([expect.stringContaining('<cluster>')]);
  });
});

describe('the state of a cell', () => {
  const said = (status: 'True' | 'False' | 'Unknown', reason = 'Any') => ({ status, reason, message: '' });
  const configured = said('True', 'ConfigurationsConfigured');
  const settled = { configured, progressing: said('False', 'Succeed') };
  it.each([
    ['removing', { isDeleting: true, progressing: said('False', 'Failed') }],
    ['failed', { configured, progressing: said('False', 'Failed'), available: said('True') }],
    ['failed', { configured: said('False', 'ConfigurationNotFound') }],
    ['failed', { configured, manifestApplied: said('False'), available: said('True') }],
    ['failed', { configured, registrationApplied: said('False', 'SetPermissionFailed') }],
    ['blocked', { ...settled, degraded: said('True', 'RequiredDependencyNotSatisfied'), available: said('False') }],
    ['progressing', { configured, progressing: said('True', 'Upgrading'), available: said('True') }],
    ['available', { configured: said('False', 'ConfigurationsNotConfigured'), available: said('True') }],
    ['waiting', { configured: said('False', 'ConfigurationsNotConfigured') }],
    ['blocked', { ...settled, isUnrendered: true }],
    ['waiting', {}],
    ['waiting', settled],
    ['available', { ...settled, available: said('True') }],
    ['degraded', { ...settled, degraded: said('True', 'DependencyNotSatisfied'), available: said('True') }],
    ['unavailable', { ...settled, available: said('False') }],
    ['unknown', { ...settled, available: said('Unknown') }],
  ])('is %s for %j', (state, report) => {
    const base = { version: '', ownVersion: '', isDeleting: false, configs: '' };
    expect(stateOf({ ...base, ...report } as unknown as Parameters<typeof stateOf>[0], true).state).toBe(state);
    const expected = state === 'removing' ? 'removing' : 'unreachable';
    expect(stateOf({ ...base, ...report } as unknown as Parameters<typeof stateOf>[0], false).state).toBe(expected);
  });
});
