import type { AddOnRollout, AddOnRolloutStatus, ClusterManagementAddOn, ManagedClusterAddOn, RolloutEntry } from '@outrigger/api';
import { type ObjectKey, keyString } from '@outrigger/core';
import type { CacheView } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { addOns } from '../../resources/add-ons.js';
import { declarations } from '../../resources/declarations.js';
import { type ClusterProjection, type RolloutProjection, projectCluster, projectRollout } from '@outrigger/rules/observed';
import { addOn, admitted, condition, declaration, freshHub, viewOfHub } from './fixtures.js';
import {
  addOnsUsing,
  wakeByAddOn,
  wakeByCluster,
  wakeByDeclaration,
  wakeByDeploymentConfig,
  wakeByRollout,
  wakeByTemplate,
} from './wake.js';

const on = (cluster: string, name: string, parts: Parameters<typeof addOn>[1] = {}): ManagedClusterAddOn =>
  addOn(name, { ...parts, metadata: { namespace: cluster } });
const needs = (name: string, ...dependencies: string[]): ClusterManagementAddOn =>
  declaration(name, { dependencies: dependencies.map((dependency) => ({ name: dependency })) });
const view = (declared: readonly ClusterManagementAddOn[], installed: readonly ManagedClusterAddOn[]): CacheView =>
  viewOfHub(freshHub({ clusterAddOn: undefined, declarations: declared, others: installed }));
const keys = (list: Iterable<ObjectKey>): string[] => [...new Set([...list].map(keyString))].sort();
const projected = (object: ManagedClusterAddOn): ReturnType<typeof addOns.project> => addOns.project(object, (value) => value);
const declared = (object: ClusterManagementAddOn): ReturnType<typeof declarations.project> =>
  declarations.project(object, (value) => value);

describe('add-on: which keys are woken', () => {
  const up = { conditions: [condition('Available', 'True', 'ProbeAvailable')] };
  const down = { conditions: [condition('Available', 'False', 'ProbeUnavailable')] };

  it('AT-32 a flip wakes the add-on and its dependents on that cluster, and no other', () => {
    const dependents = Array.from({ length: 1000 }, (_, i) => needs(`d${i}`, 'base'));
    const all = view([needs('base'), needs('other'), ...dependents], [on('c1', 'base'), on('c1', 'other'), on('c2', 'd1')]);
    const woken = keys(
      wakeByAddOn({ before: projected(on('c1', 'base', { status: up })), after: projected(on('c1', 'base', { status: down })) }, all),
    );
    expect(woken).toHaveLength(1001);
    expect(woken.every((key) => key === 'c1/base' || key.startsWith('c1/d'))).toBe(true);
  });

  it('fields that dependents do not read wake only the add-on itself', () => {
    const all = view([needs('base'), needs('a', 'base')], [on('c1', 'base'), on('c1', 'a')]);
    const after = { conditions: [...up.conditions, condition('Progressing', 'False', 'Succeed')] };
    const woken = wakeByAddOn(
      { before: projected(on('c1', 'base', { status: up })), after: projected(on('c1', 'base', { status: after })) },
      all,
    );
    expect(keys(woken)).toEqual(['c1/base']);
  });

  it('a deleted add-on is processed once more, for the objects that it left behind', () => {
    expect(keys(wakeByAddOn({ before: projected(on('c1', 'base')), after: undefined }, view([], [])))).toEqual(['c1/base']);
  });

  it('a dependency that closes a cycle, or opens it, wakes all add-ons of the cycle', () => {
    const installed = ['a', 'b', 'c', 'x'].map((name) => on('c1', name));
    const closed = view([needs('a', 'b'), needs('b', 'c'), needs('c', 'a'), needs('x', 'a')], installed);
    const later = { ...needs('c', 'a'), metadata: { ...needs('c').metadata, generation: 2 } };
    expect(keys(wakeByDeclaration({ before: declared(needs('c')), after: declared(later) }, closed))).toEqual(['c1/a', 'c1/b', 'c1/c']);
    const open = view([needs('a', 'b'), needs('b', 'c'), needs('c'), needs('x', 'a')], installed);
    const opened = { ...needs('c'), metadata: { ...needs('c').metadata, generation: 2 } };
    expect(keys(wakeByDeclaration({ before: declared(needs('c', 'a')), after: declared(opened) }, open))).toEqual(['c1/a', 'c1/b', 'c1/c']);
  });

  it('counters in the status of a declaration wake no add-on, published versions do', () => {
    const all = view([needs('a')], [on('c1', 'a')]);
    const plain = declared(needs('a'));
    const counting = declared({ ...needs('a'), status: { conditions: [condition('Progressing', 'True', 'Progressing')] } });
    const published = declared({ ...needs('a'), status: { supportedVersions: ['v1'] } });
    expect(keys(wakeByDeclaration({ before: plain, after: counting }, all))).toEqual([]);
    expect(keys(wakeByDeclaration({ before: plain, after: published }, all))).toEqual(['c1/a']);
  });

  describe('by a ManagedCluster', () => {
    const selecting = declaration('selecting', {
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { tier: 'edge' } } },
    });
    const all = view([needs('plain'), selecting], [on('c1', 'plain'), on('c1', 'selecting'), on('c1', 'undeclared'), on('c2', 'plain')]);
    const cluster = (
      labels: Record<string, string>,
      rest: { readonly accepted?: boolean; readonly status?: 'True' | 'Unknown' } = {},
    ): ClusterProjection =>
      projectCluster(
        {
          apiVersion: 'cluster.open-cluster-management.io/v1',
          kind: 'ManagedCluster',
          metadata: { name: 'c1', labels },
          spec: { hubAcceptsClient: rest.accepted ?? true },
          status: { conditions: [condition('ManagedClusterConditionAvailable', rest.status ?? 'True', 'A')] },
        } as never,
        (value) => value,
      );
    const edge = { tier: 'edge' };
    const feature = 'feature.open-cluster-management.io/addon-plain';
    it.each<{ name: string; before?: ClusterProjection; after?: ClusterProjection; want: readonly string[] }>([
      {
        name: 'a label that lists the health of an add-on',
        before: cluster({ ...edge, [feature]: 'unhealthy' }),
        after: cluster({ ...edge, [feature]: 'available' }),
        want: [],
      },
      { name: 'a label by which a strategy selects it', before: cluster({}), after: cluster(edge), want: ['c1/selecting'] },
      {
        name: 'an acceptance',
        before: cluster(edge, { accepted: false }),
        after: cluster(edge),
        want: ['c1/plain', 'c1/selecting', 'c1/undeclared'],
      },
      {
        name: 'a denial',
        before: cluster(edge),
        after: cluster(edge, { accepted: false }),
        want: ['c1/plain', 'c1/selecting', 'c1/undeclared'],
      },
      {
        name: 'its availability',
        before: cluster(edge),
        after: cluster(edge, { status: 'Unknown' }),
        want: ['c1/plain', 'c1/selecting', 'c1/undeclared'],
      },
      { name: 'its deletion', before: cluster({}), want: ['c1/plain', 'c1/selecting', 'c1/undeclared'] },
    ])('$name wakes $want', ({ before, after, want }) => expect(keys(wakeByCluster({ before, after }, all))).toEqual(want));
  });

  describe('by a record of 1,000 clusters', () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `c${i}`);
    const all = view(
      [needs('hello')],
      [...names, 'new'].map((cluster) => on(cluster, 'hello')),
    );
    const wildcard = { cluster: '*', revision: 1, admittedAt: '2025-12-31T00:00:00Z' };
    const settled: RolloutEntry = {
      name: 'default',
      targetRevision: 1,
      inFlight: [wildcard],
      members: names,
      selected: 1_000,
      done: 1_000,
      state: 'Completed',
    };
    const recorded = (entry: RolloutEntry, status: Partial<AddOnRolloutStatus> = {}): RolloutProjection => {
      const rollout = admitted([]);
      return projectRollout({ ...rollout, status: { ...rollout.status, entries: [entry], ...status } } as AddOnRollout, (value) => value);
    };
    const woken = (after: RolloutEntry, status?: Partial<AddOnRolloutStatus>): string[] =>
      keys(wakeByRollout({ before: recorded(settled), after: recorded(after, status) }, all));

    it.each([
      { change: 'counters and the state', after: { ...settled, done: 999, progressing: 1, state: 'Progressing' as const }, want: [] },
      { change: 'a message', after: { ...settled, message: 'waits' }, want: [] },
      {
        change: 'a cluster that joins',
        after: { ...settled, members: [...names, 'new'], selected: 1_001, progressing: 1, state: 'Progressing' as const },
        want: ['new/hello'],
      },
      {
        change: 'an admission by name',
        after: { ...settled, inFlight: [wildcard, { ...wildcard, cluster: 'c7' }] },
        want: ['c7/hello'],
      },
      { change: 'a cluster that leaves', after: { ...settled, members: names.slice(1) }, want: ['c0/hello'] },
    ])('$change wakes $want', ({ after, want }) => {
      expect(woken(after)).toEqual(want);
    });

    it.each([
      { change: 'a target', after: { ...settled, targetRevision: 2 } },
      { change: 'a target of add-ons with their own configs', after: { ...settled, ownConfigsRevision: 2 } },
      { change: 'a target of add-ons that a user created', after: { ...settled, handMadeRevision: 2 } },
      { change: 'the end of the wildcard admission', after: { ...settled, inFlight: [] } },
      { change: 'the clusters that the wildcard admission excludes', after: { ...settled, inFlight: [{ ...wildcard, except: ['c1'] }] } },
      { change: 'another entry', after: { ...settled, name: 'other' } },
      { change: 'the revisions', after: settled, status: { history: [] } },
      { change: 'the first policy', after: settled, status: { policies: ['p'] as never } },
      {
        change: 'a gate of a deleted policy',
        after: { ...settled, waitingFor: [{ kind: 'Window' as const, name: 'p/w', loosened: true }] },
      },
    ])('$change wakes all', ({ after, status }) => {
      expect(woken(after, status)).toHaveLength(1_001);
    });
  });

  it('a change of a shared config wakes add-ons through the record; its creation and deletion wake all', () => {
    const ref = { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', namespace: 'n', name: 'shared' };
    const { group, resource, namespace, name } = ref;
    const sharing = declaration('a', { supportedConfigs: [{ group, resource, defaultConfig: { namespace, name } }] });
    const all = view([sharing], [on('c1', 'a'), on('c2', 'a'), on('c3', 'b', { spec: { configs: [ref] } })]);
    expect(keys(addOnsUsing(all, ref, { hasComeOrGone: false, content: { specHash: 'new', generation: 2 } }))).toEqual(['c3/b']);
    expect(keys(addOnsUsing(all, ref, { hasComeOrGone: true }))).toEqual(['c1/a', 'c2/a', 'c3/b']);
  });

  describe('an edit back to the content that an add-on has wakes the add-on, because the generation in its status changes', () => {
    const GROUP = 'addon.open-cluster-management.io';
    const at = (name: string, specHash: string, generation: number | undefined) => (cluster: string) => {
      const place = { namespace: 'n', name };
      const observed = generation === undefined ? {} : { lastObservedGeneration: generation };
      return on(cluster, 'a', {
        status: {
          configReferences: [
            {
              group: GROUP,
              resource: RESOURCES[name] ?? '',
              ...(name === 'shared' ? place : { name }),
              ...observed,
              desiredConfig: { ...place, specHash },
            },
          ],
        },
      });
    };
    const RESOURCES: Readonly<Record<string, string>> = { shared: 'addondeploymentconfigs', template: 'addontemplates' };
    const shared = declaration('a', {
      supportedConfigs: [{ group: GROUP, resource: 'addondeploymentconfigs', defaultConfig: { namespace: 'n', name: 'shared' } }],
    });
    const fleetOf = (name: string) =>
      view([shared], [at(name, 'same', 1)('c1'), at(name, 'other', 1)('c2'), at(name, 'same', 3)('c3'), at(name, 'same', undefined)('c4')]);
    const base = { resourceVersion: '1', uid: 'u', createdAt: 0, spec: {} };

    it('an AddOnDeploymentConfig', () => {
      const config = { ...base, key: { namespace: 'n', name: 'shared' }, specHash: 'same', generation: 3 } as never;
      expect(keys(wakeByDeploymentConfig({ before: config, after: config }, fleetOf('shared')))).toEqual(['c1/a', 'c4/a']);
    });

    it('a template that no declaration names', () => {
      const template = { ...base, key: { name: 'template' }, addOnName: 'a', version: 'v1', specHash: 'same', generation: 3 } as never;
      expect(keys(wakeByTemplate({ before: template, after: template }, fleetOf('template')))).toEqual(['c1/a', 'c4/a']);
    });
  });
});
