import { describe, expect, it } from 'vitest';
import { addOn, cluster, conditions, installed, marked, placement, rollout, work } from './fixtures.js';
import { explainFleet } from './fleet.js';
import { EMPTY, type Snapshot } from './snapshot.js';

const joined = ['ManagedClusterJoined True x x'];
const well = ['Available True ProbeAvailable x', 'Progressing False Succeed x'];
const names = (count: number, from = 1): readonly string[] => Array.from({ length: count }, (_, index) => `c${index + from}`);
const given = (rest: Partial<Snapshot>): Snapshot => ({ ...EMPTY, managementAddOns: [addOn('hello')], ...rest });

describe('why in the whole fleet', () => {
  it('counts the clusters by state, and prints no more if all are available', () => {
    const snapshot = given({
      clusters: names(3).map((name) => cluster(name, {}, joined)),
      installed: names(3).map((name) => installed('hello', name, ...well)),
    });
    expect(explainFleet(snapshot, 'hello')).toMatchObject({ isWrong: false, clusters: { available: 3 }, causes: [] });
  });

  it('names why the add-on is degraded where it is available', () => {
    const missing = "Degraded True DependencyNotSatisfied Optional addon 'tracing' is not installed or not available";
    const snapshot = given({
      clusters: names(3).map((name) => cluster(name, {}, joined)),
      installed: names(3).map((name) => installed('hello', name, ...well, ...(name === 'c1' ? [] : [missing]))),
    });
    const found = explainFleet(snapshot, 'hello');
    expect(found).toMatchObject({ isWrong: false, clusters: { available: 3 }, causes: [] });
    expect(found.links.filter(({ type }) => type === 'note').map(({ text }) => text)).toEqual([
      "degraded on 2 clusters: Optional addon 'tracing' is not installed or not available",
    ]);
  });

  it('groups failures by cause, with counts and examples, causes for a person first', () => {
    const pull = 'container web is waiting: ImagePullBackOff: Back-off pulling image "x"';
    const bad = names(12, 10);
    const refused = names(3, 30);
    const starting = names(20, 40);
    const snapshot = given({
      clusters: [...bad, ...refused, ...starting].map((name) => cluster(name, {}, joined)),
      installed: [...bad, ...refused, ...starting].map((name) => installed('hello', name, 'Progressing True Installing x')),
      works: [
        ...bad.map((name) =>
          work('hello', name, [{ name: 'Deployment ns/web', values: { DesiredReplicas: 1, Replicas: 1, NotReadyReason: pull } }]),
        ),
        ...refused.map((name) => work('hello', name, [{ name: `ConfigMap ${name}/config`, refused: `namespaces "${name}" not found` }])),
      ],
    });
    const found = explainFleet(snapshot, 'hello');
    expect(found).toMatchObject({ isWrong: true, clusters: { blocked: 15, waiting: 20 } });
    expect(found.causes.map(({ type, count, text, examples }) => ({ type, count, text, examples }))).toEqual([
      { type: 'stop', count: 12, text: `Deployment ns/web: 0 of 1 replicas available: ${pull}`, examples: ['c10', 'c11', 'c12'] },
      { type: 'stop', count: 3, text: 'ConfigMap …/config: namespaces "…" not found', examples: ['c30', 'c31', 'c32'] },
      { type: 'wait', count: 20, text: 'Installing: x', examples: ['c40', 'c41', 'c42'] },
    ]);
    expect(found.causes[1]?.hint).toContain('kubectl create namespace c30');
  });

  it('reports problems of the whole add-on: halted, paused, pinned, a removal that waits', () => {
    const managementAddOn = {
      ...addOn('hello'),
      status: { conditions: conditions('TargetsResolved False RemovalNeedsConfirmation would remove 2 of 2 add-ons') },
    };
    const entries = [
      { name: 'default/a', state: 'Halted' as const, failed: 1, selected: 2, targetRevision: 2, completedRevision: 1 },
      { name: 'default/b', state: 'Paused' as const },
      { name: 'default/c', state: 'Halted' as const, failed: 0, message: 'not a duration' },
    ];
    const snapshot = given({
      managementAddOns: [managementAddOn],
      rollouts: [rollout('hello', { pinnedRevision: 2, paused: true }, { entries, pendingRemoval: { count: 2, of: 2 } })],
    });
    const found = explainFleet(snapshot, 'hello');
    expect(found.isWrong).toBe(true);
    expect(found.links.map(({ text }) => text)).toEqual([
      'hello is declared with strategy ClusterLabelSelector',
      'the removal from 2 of 2 clusters waits for a confirmation since 2026-01-01T00:00:00Z; to keep it there, correct spec.installStrategy',
      'every cluster is pinned at revision 2',
      'the rollout of default/a is halted: 1 cluster failed',
      'the rollout of default/b is paused',
      'the rollout of default/c is halted: not a duration',
    ]);
    expect(found.links.flatMap(({ hint }) => hint ?? [])).toEqual([
      'outrigger rollout confirm hello',
      'outrigger rollback hello --clear',
      'fix the causes below, or `outrigger rollback hello`',
      'outrigger rollout resume hello',
      'fix the cause, or `outrigger rollback hello`',
    ]);
  });

  it('a rollout that was halted before it was paused is both, and the causes come before the clusters that it holds back', () => {
    const entry = {
      name: 'labelSelector',
      state: 'Paused' as const,
      failed: 1,
      selected: 5,
      targetRevision: 1,
      timeline: [{ at: '2026-01-01T00:00:00Z', to: 1, outcome: 'Halted' as const }],
    };
    const snapshot = given({
      clusters: names(5).map((name) => cluster(name, {}, joined)),
      installed: names(5).map((name) =>
        name === 'c5'
          ? installed('hello', name, 'Configured True ConfigurationsConfigured x', 'Progressing False Failed broken')
          : installed('hello', name, 'Configured False ConfigurationsNotConfigured waiting'),
      ),
      rollouts: [rollout('hello', {}, { entries: [entry] })],
    });
    const found = explainFleet(snapshot, 'hello');
    expect(found.links.slice(1)).toEqual([
      // No target completed, so the explanation offers no rollback.
      { type: 'stop', text: 'the rollout of labelSelector is halted: 1 cluster failed', hint: 'fix the causes below' },
      { type: 'stop', text: 'the rollout of labelSelector is paused', hint: 'outrigger resume --all' },
    ]);
    expect(found.causes.map(({ count, text }) => `${count} ${text}`)).toEqual([
      expect.stringMatching(/^1 .*broken/) as string,
      expect.stringMatching(/^4 the rollout to revision 1 is halted: 1 cluster failed/) as string,
    ]);
  });

  it.each([
    ['NoManagedClusterSetBindings', true],
    ['NoIntersection', true],
    ['AllManagedClusterSetsEmpty', true],
    ['NoManagedClusterMatched', false],
    ['NotAllDecisionsScheduled', false],
  ])('names why a Placement selects too few clusters: %s needs a person: %s', (reason, isWrong) => {
    const unsatisfied = {
      ...placement('teamx', 'p'),
      status: { conditions: conditions(`PlacementSatisfied False ${reason} the message`) },
    };
    const strategy = { type: 'Placements' as const, placements: [{ namespace: 'teamx', name: 'p' }] };
    const found = explainFleet(given({ managementAddOns: [addOn('hello', strategy)], placements: [unsatisfied] }), 'hello');
    expect(found.isWrong).toBe(isWrong);
    expect(found.links[1]).toMatchObject({ text: 'Placement teamx/p: the message', hint: 'kubectl describe placement p -n teamx' });
  });

  it('an add-on that waits to be removed needs a person even if it is available', () => {
    const strategy = { type: 'ClusterLabelSelector' as const, labelSelector: { matchLabels: { env: 'gone' } } };
    const snapshot = given({
      managementAddOns: [addOn('hello', strategy)],
      clusters: names(2).map((name) => cluster(name, {}, joined)),
      installed: names(2).map((name) => marked(installed('hello', name, ...well))),
      rollouts: [rollout('hello', {}, { pendingRemoval: { count: 2, of: 2 } })],
    });
    expect(explainFleet(snapshot, 'hello').causes).toMatchObject([
      { count: 2, type: 'stop', hint: 'outrigger rollout confirm hello', examples: ['c1', 'c2'] },
    ]);
  });

  it('clusters that no entry selects are not failures', () => {
    const snapshot = given({
      managementAddOns: [addOn('hello', { type: 'Manual' })],
      clusters: names(2).map((name) => cluster(name, {}, joined)),
    });
    expect(explainFleet(snapshot, 'hello')).toMatchObject({ isWrong: false, clusters: {}, causes: [] });
  });
});
