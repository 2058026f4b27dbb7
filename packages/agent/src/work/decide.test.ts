import { briefly, nowAt } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { decide } from './decide.js';
import {
  CONFIG_MAPS,
  type Given,
  OWNER,
  condition,
  given,
  leftover,
  listed,
  live,
  manifestState,
  object,
  owned,
  ref,
  settledManifest,
  settledStatus,
} from './fixtures.js';
import type { Kind, KubeObject } from '@outrigger/core';
import { versionedId } from '@outrigger/kube';
import { type Inspection, unreadyWorkload } from './inspection/inspection.js';
import { prepare } from './manifest/normalize.js';
import type { ManifestState, WritableWork } from './state.js';

const NOW = nowAt(Date.parse('2026-06-01T00:00:00Z'), 1_000_000);
const brief = (state: WritableWork): readonly string[] => briefly(decide(state, NOW));

/** Returns a work whose objects match its manifests and whose status reports this. */
function settled(over: Given = {}, names: readonly string[] = ['a', 'b']): Given {
  const manifests = names.map((name, ordinal) => settledManifest(name, ordinal));
  return { manifests, status: settledStatus(manifests), listed: names.map((name) => listed(name)), ...over };
}

describe('one pass over a work', () => {
  it('a settled work needs nothing', () => expect(decide(given(settled()), NOW)).toEqual({ stages: [] }));

  const cases: readonly { name: string; state: WritableWork; want: readonly string[] }[] = [
    {
      name: 'the finalizer comes first',
      state: given({ work: { finalizers: ['other'] }, manifests: [manifestState('a')] }),
      want: ['patch ManifestWork cluster1/work'],
    },
    {
      name: 'then the agent creates the applied work',
      state: { ...given({ manifests: [manifestState('a')] }), appliedWork: undefined as never },
      want: ['create AppliedManifestWork hash-work'],
    },
    {
      name: 'the applied work gets the labels of the work',
      state: given({ ...settled(), work: { labels: { team: 'x' } } }),
      want: ['patch AppliedManifestWork hash-work'],
    },
    {
      name: 'and loses those that the work lost, but none of other writers',
      state: given({ ...settled(), appliedWork: { labels: { team: 'x', theirs: 'y' }, copiedLabels: ['team'] } }),
      want: ['patch AppliedManifestWork hash-work'],
    },
    {
      name: 'a copied label with the name of a member of every object is removed, too',
      state: given({ ...settled(), appliedWork: { labels: { constructor: 'x' }, copiedLabels: ['constructor', 'toString'] } }),
      want: ['patch AppliedManifestWork hash-work'],
    },
    {
      name: 'labels of others are theirs',
      state: given({ ...settled(), appliedWork: { labels: { theirs: 'y' }, copiedLabels: [] } }),
      want: [],
    },
    {
      name: 'an applied work that another agent took a moment ago is left to it, with all objects of the work',
      state: {
        ...given({ manifests: [manifestState('a'), settledManifest('b', 1)], appliedWork: { agentId: 'other' } }),
        appliedWorkLeftUntil: NOW.monotonic + 1,
      },
      want: [],
    },
    {
      name: 'but not for ever',
      state: { ...given({ ...settled(), appliedWork: { agentId: 'other' } }), appliedWorkLeftUntil: NOW.monotonic },
      want: ['patch AppliedManifestWork hash-work'],
    },
    {
      name: 'a list that is undone again and again waits its time',
      state: { ...given({ manifests: [settledManifest('a')] }), listFrom: NOW.monotonic + 1 },
      want: [],
    },
    {
      name: 'if the applied work cannot be created, the work reports why, and the agent tries again',
      state: { ...given({ manifests: [manifestState('a')] }), appliedWork: undefined as never, appliedWorkRefusal: 'no' },
      want: ['patch ManifestWork/status cluster1/work', ';', 'create AppliedManifestWork hash-work'],
    },
    {
      name: 'so is an applied work that cannot be written, and no object is created without it',
      state: { ...given({ manifests: [manifestState('a')] }), appliedWorkRefusal: 'no' },
      want: ['patch ManifestWork/status cluster1/work', ';', 'patch AppliedManifestWork/status hash-work', ';', 'effect write manifest/0'],
    },
    {
      name: 'an error response about the applied work is in the past once the applied work is as wanted',
      state: { ...given(settled()), appliedWorkRefusal: 'no' },
      want: [],
    },
    {
      name: 'an object that may still be on its way to the server is not struck off the list',
      state: given(
        settled({
          leftovers: [leftover('old', { state: 'absent', mayCome: true }, { uid: '' })],
          listed: [listed('a'), listed('b'), listed('old', '')],
        }),
      ),
      want: [],
    },
    {
      name: 'objects that cannot be removed are reported on the work, and tried again',
      state: {
        ...given(settled({ leftovers: [leftover('old', owned(object('old')))], listed: [listed('a'), listed('b'), listed('old')] })),
        releaseProblems: ['configmaps. ns/old: no'],
      },
      want: ['patch ManifestWork/status cluster1/work', ';', 'effect release release/configmaps. ns/old'],
    },
    {
      name: 'the applied work is taken over from another agent',
      state: given({ ...settled(), appliedWork: { agentId: 'old' } }),
      want: ['patch AppliedManifestWork hash-work'],
    },
    {
      name: 'the agent waits until a deleted applied work is gone',
      state: given({ ...settled(), appliedWork: { isDeleting: true } }),
      want: [],
    },
    {
      name: 'then the objects of the work are watched',
      state: given({ manifests: [manifestState('a', { isTracked: false })] }),
      want: ['effect track track'],
    },
    {
      name: 'objects that the work no longer names are not watched any more',
      state: { ...given(settled()), isTrackingMore: true },
      want: ['effect track track'],
    },
    {
      name: 'a kind that is not known yet is looked up',
      state: given({ manifests: [manifestState('a', { lookup: { state: 'unknown' }, ref: undefined })] }),
      want: ['effect track track'],
    },
    {
      name: 'a kind that is not served is asked for again in time',
      state: given({ manifests: [manifestState('a', { lookup: { state: 'unserved', askAgainAt: NOW.monotonic }, ref: undefined })] }),
      want: ['effect track track'],
    },
    {
      name: 'nothing is reported while an object is being read',
      state: given({ manifests: [manifestState('a', { live: { state: 'unknown' } })] }),
      want: [],
    },
    {
      name: 'an object is listed before it is made',
      state: given({ manifests: [manifestState('a')] }),
      want: ['patch AppliedManifestWork/status hash-work', ';', 'effect write manifest/0'],
    },
    {
      name: 'created objects are listed with their uid, then reported',
      state: given({ ...settled({}, ['a']), status: {}, listed: [listed('a', '')] }),
      want: ['patch AppliedManifestWork/status hash-work', ';', 'patch ManifestWork/status cluster1/work'],
    },
    {
      name: 'objects that the work no longer names are removed after everything was reported',
      state: given(settled({ leftovers: [leftover('old', owned(object('old')))], listed: [listed('a'), listed('b'), listed('old')] })),
      want: ['effect release release/configmaps. ns/old'],
    },
    {
      name: 'nothing is removed before the work was applied once: its hub may have been set up anew',
      state: given({ manifests: [], leftovers: [leftover('old', owned(object('old')))], listed: [listed('old')] }),
      want: ['patch ManifestWork/status cluster1/work'],
    },
    {
      name: 'objects that no longer exist are removed from the list',
      state: given(settled({ leftovers: [leftover('old', { state: 'absent' })], listed: [listed('a'), listed('b'), listed('old')] })),
      want: ['patch AppliedManifestWork/status hash-work'],
    },
    {
      name: 'a complete work is not touched any more, only reported on',
      state: given({
        manifests: [manifestState('a')],
        status: { conditions: [condition('Complete', 'True', 'ConditionRulesAggregated', 'x'), condition('Applied', 'True', 'x', 'x')] },
        leftovers: [leftover('old', owned(object('old')))],
        listed: [listed('old')],
      }),
      want: ['patch ManifestWork/status cluster1/work'],
    },
  ];
  it.each(cases)('$name', ({ state, want }) => expect(brief(state)).toEqual(want));
});

describe('the order of writes', () => {
  const of = (kind: string, ordinal: number): ManifestState =>
    manifestState(`m${ordinal}`, { ordinal, manifest: prepare({ ...object(`m${ordinal}`), kind }) });

  it('ranks are written in order, the manifests of one rank together', () => {
    const manifests = [of('Widget', 0), of('Deployment', 1), of('ConfigMap', 2), of('Namespace', 3), of('Secret', 4)];
    expect(brief(given({ manifests })).slice(2)).toEqual(
      ['manifest/3', ';', 'manifest/2', 'manifest/4', ';', 'manifest/1', ';', 'manifest/0'].map((it) =>
        it === ';' ? it : `effect write ${it}`,
      ),
    );
  });

  it('a manifest that failed waits for its next attempt and delays no other', () => {
    const refused: ManifestState = {
      ...of('Namespace', 0),
      attempt: {
        content: contentOfWrite(of('Namespace', 0)),
        at: NOW.monotonic - 400,
        repeats: 0,
        outcome: { type: 'failed', message: 'no', count: 1, isPassing: false },
      },
    };
    expect(brief(given({ manifests: [refused, of('ConfigMap', 1)] })).slice(2)).toEqual(['effect write manifest/1']);
    const decision = decide(given({ manifests: [refused] }), NOW);
    expect(decision.requeueAfterMs).toBe(600);
    expect(briefly(decision)).toEqual(['patch ManifestWork/status cluster1/work']);
  });

  function contentOfWrite(manifest: ManifestState): string {
    const action = decide(given({ manifests: [manifest] }), NOW)
      .stages.flat()
      .find((it) => it.type === 'effect' && it.effect === 'write');
    if (action?.type !== 'effect' || action.effect !== 'write') throw new Error('nothing is written');
    return action.input.content;
  }
});

describe('manifests that are not written', () => {
  const executor = { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'sa' } } } as const;
  const check = { owner: 'work/work', generation: 1, executor, ref: ref('a'), verbs: ['get', 'create'] };
  const readOnly = { strategy: { type: 'ReadOnly' }, feedbackRules: [], conditionRules: [] } as const;
  const messageOf = (state: WritableWork): string => {
    const patch = decide(state, NOW)
      .stages.flat()
      .find((action) => action.id === 'status');
    const status = patch?.type === 'patch' ? (patch.patch['status'] as never as WritableWork['work']['status']) : {};
    return status.resourceStatus?.manifests?.at(-1)?.conditions[0]?.message ?? 'nothing';
  };

  it('rights that are not known are asked for', () => {
    expect(brief(given({ manifests: [manifestState('a', { check, reading: 'unasked' })] }))).toEqual(['effect ask ask']);
  });
  it('a denied executor is reported, and asked about again when it is time', () => {
    const permission = { type: 'denied', askAgainAt: NOW.monotonic + 4_000 } as const;
    const state = given({ manifests: [manifestState('a', { check, permission })] });
    expect(messageOf(state)).toBe('Failed to apply manifest: not allowed to apply the resource  configmaps, ns a, will try again in 1m0s');
    expect(decide(state, NOW).requeueAfterMs).toBe(4_000);
  });
  it.each([
    { name: 'absent', live: { state: 'absent' } as const },
    { name: 'present', live: owned(object('a', { data: { secret: 'value' } })) },
    { name: 'unreadable', live: { state: 'unreadable', error: 'why' } as const },
    { name: 'unknown', live: { state: 'unknown' } as const },
  ])('an object that the executor may not get is reported alike when it is $name', ({ live: at }) => {
    const permission = { type: 'denied', askAgainAt: NOW.monotonic + 4_000 } as const;
    const rules = { feedbackRules: [{ type: 'JSONPaths', jsonPaths: [{ name: 's', path: '.data.secret' }] }], conditionRules: [] } as const;
    const decided = [{ type: 'Update' }, { type: 'CreateOnly' }, { type: 'ServerSideApply' }, { type: 'ReadOnly' }].map((strategy) => {
      const treatment = { strategy, ...rules } as ManifestState['treatment'];
      const of = (live: ManifestState['live']): unknown =>
        decide(given({ manifests: [manifestState('a', { check, permission, reading: 'refused', treatment, live })] }), NOW);
      return [of(at), of({ state: 'absent' })];
    });
    for (const [actual, asAbsent] of decided) expect(actual).toEqual(asAbsent);
    expect(JSON.stringify(decided)).not.toMatch(
      /ResourceAvailable|ResourceNotAvailable|FetchingResourceFailed|StatusFeedback|statusFeedback/,
    );
  });
  it('a write without an answer is reported too', () => {
    const state = given({
      manifests: [manifestState('a', { check, permission: { type: 'unclear', error: 'may not ask', askAgainAt: NOW.monotonic + 1 } })],
    });
    expect(messageOf(state)).toBe('Failed to apply manifest: may not ask');
  });
  it('a settled manifest asks for no rights', () => {
    const manifests = [{ ...settledManifest('a'), check }];
    expect(brief(given(settled({ manifests }, ['a'])))).toEqual([]);
  });
  it('the same object twice is written once', () => {
    const state = given({ manifests: [settledManifest('a'), manifestState('a', { ordinal: 1, duplicateOf: 0 })], listed: [listed('a')] });
    expect(messageOf(state)).toBe('Failed to apply manifest: manifests 0 and 1 are the same object; keep one of them');
  });
  it('a manifest without a name is refused, even with generateName', () => {
    const state = given({ manifests: [manifestState('', { live: { state: 'unreadable', error: 'no name' } })] });
    expect(messageOf(state)).toBe('Failed to apply manifest: the manifest has no metadata.name, and generateName cannot take its place');
  });
  it('a manifest with an integer that would be changed is refused', () => {
    const manifest = prepare(object('a', { spec: { quota: 2 ** 53 + 2 } }));
    const state = given({ manifests: [manifestState('a', { manifest })] });
    expect(messageOf(state)).toMatch(/^Failed to apply manifest: spec\.quota is an integer beyond ±9007199254740991/);
  });
  it('a ReadOnly manifest counts as applied even if the object does not exist, and is never listed', () => {
    const state = given({ manifests: [manifestState('a', { treatment: readOnly, isOwned: false })] });
    expect(brief(state)).toEqual(['patch ManifestWork/status cluster1/work']);
    expect(messageOf(state)).toBe('Apply manifest complete');
  });
  it('a completed manifest is not created again', () => {
    const before = { ...settledManifest('a').before, conditions: [condition('Complete', 'True', 'ConditionRuleEvaluated', 'x')] } as never;
    expect(brief(given({ manifests: [manifestState('a', { before })] }))).toEqual(['patch ManifestWork/status cluster1/work']);
  });
  it('an object stays listed while its kind is not served for a moment', () => {
    const unserved = manifestState('a', { lookup: { state: 'unserved', askAgainAt: NOW.monotonic + 500 }, ref: undefined });
    const state = given({ manifests: [unserved], listed: [listed('a')] });
    expect(brief(state)).toEqual(['patch ManifestWork/status cluster1/work']);
    expect(decide(state, NOW).requeueAfterMs).toBe(500);
  });
});

describe('a work that is being deleted', () => {
  const deleting = { isDeleting: true };
  const deletingReported = { conditions: [condition('Deleting', 'True', 'WorkDeleting', 'ManifestWork is being deleted')] };
  const orphan = leftover('a', owned(object('a')), { isOrphan: true });
  const cases: readonly { name: string; state: WritableWork; want: readonly string[] }[] = [
    {
      name: 'reports it, and the agent deletes the applied work',
      state: given({ work: deleting }),
      want: ['patch ManifestWork/status cluster1/work', ';', 'delete AppliedManifestWork hash-work'],
    },
    { name: 'then waits for it', state: given({ work: deleting, status: deletingReported, appliedWork: { isDeleting: true } }), want: [] },
    {
      name: 'loses its finalizer when the applied work is gone',
      state: { ...given({ work: deleting, status: deletingReported }), appliedWork: undefined as never },
      want: ['patch ManifestWork cluster1/work'],
    },
    {
      name: 'takes over the applied work of an agent that no longer exists',
      state: given({ work: deleting, appliedWork: { agentId: 'old', isDeleting: true } }),
      want: ['patch AppliedManifestWork hash-work'],
    },
    { name: 'of another agent is left alone', state: given({ work: { isDeleting: true, finalizers: [] } }), want: [] },
    {
      name: 'first removes the owner reference from objects that stay',
      state: given({ work: deleting, status: deletingReported, leftovers: [orphan] }),
      want: ['effect release release/configmaps. ns/a'],
    },
    {
      name: 'and waits until it is known',
      state: given({ work: deleting, status: deletingReported, leftovers: [{ ...orphan, live: { state: 'unknown' } }] }),
      want: [],
    },
    {
      name: 'and then its applied work is deleted',
      state: given({ work: deleting, status: deletingReported, leftovers: [{ ...orphan, live: live(object('a')) }] }),
      want: ['delete AppliedManifestWork hash-work'],
    },
  ];
  it.each(cases)('$name', ({ state, want }) => expect(brief(state)).toEqual(want));

  it('that no longer exists is no longer watched', () => expect(briefly(decide({ name: 'work' }, NOW))).toEqual(['effect track track']));
});

describe('writes', () => {
  it('carry the owner and the kind that they write', () => {
    const action = decide(given({ manifests: [manifestState('a')] }), NOW)
      .stages.flat()
      .find((it) => it.id === 'manifest/0');
    expect(action).toMatchObject({
      effect: 'write',
      input: {
        owner: 'work/work',
        ref: { kind: CONFIG_MAPS, namespace: 'ns', name: 'a' },
        write: { type: 'create', object: { metadata: { ownerReferences: [OWNER] } } },
      },
    });
  });
});

describe('a workload that is not ready', () => {
  const DEPLOYMENTS: Kind = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
  const web = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'ns' },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } } },
  };
  const place = ref('web', DEPLOYMENTS);
  const unready = (over: Given = {}, inspection?: Partial<Inspection>): WritableWork => {
    const manifest: ManifestState = {
      ...settledManifest('web'),
      manifest: prepare(web),
      lookup: { state: 'served', kind: DEPLOYMENTS },
      ref: place,
      live: owned({ ...web, status: { availableReplicas: 0 } } as KubeObject),
    };
    const base = given({
      manifests: [manifest],
      listed: [{ ...listed('web'), group: 'apps', resource: 'deployments' }],
      work: { isRendered: true },
      ...over,
    });
    const known = { since: NOW.monotonic - 60_000, at: undefined, looks: 0, reason: undefined, ...inspection };
    return { ...base, inspections: inspection === undefined ? new Map() : new Map([[versionedId(place), known]]) };
  };
  const inspects = (state: WritableWork): boolean =>
    decide(state, NOW)
      .stages.flat()
      .some(({ id }) => id.startsWith('inspect/'));

  it('is inspected after it was not ready for a while', () => {
    expect(inspects(unready())).toBe(false);
    expect(decide(unready(), NOW).requeueAfterMs).toBe(10_000);
    expect(inspects(unready({}, { since: NOW.monotonic - 9_999 }))).toBe(false);
    expect(inspects(unready({}, { since: NOW.monotonic - 10_000 }))).toBe(true);
  });

  it('is inspected again ever less often', () => {
    const next = (looks: number): number | undefined => decide(unready({}, { at: NOW.monotonic, looks }), NOW).requeueAfterMs;
    expect([1, 2, 3, 20].map(next)).toEqual([15_000, 30_000, 60_000, 300_000]);
  });

  it('is not inspected for a work of another manager or for an executor', () => {
    expect(inspects(unready({ work: { isRendered: false } }, {}))).toBe(false);
    const [manifest] = unready().manifests;
    if (!manifest) throw new Error('no manifest');
    expect(unreadyWorkload({ ...manifest, check: {} as never })).toBeUndefined();
  });

  it('gets its reason into the feedback, and loses it when it is ready', () => {
    const [patch] = decide(unready({}, { at: NOW.monotonic, looks: 1, reason: 'container c is waiting: X' }), NOW).stages.flat();
    expect(JSON.stringify(patch)).toContain('"name":"NotReadyReason","fieldValue":{"type":"String","string":"container c is waiting: X"}');
    const [first] = unready().manifests;
    const ready = { ...first, live: owned({ ...web, status: { availableReplicas: 1 } } as KubeObject) } as ManifestState;
    const state = { ...unready({}, { reason: 'container c is waiting: X' }), manifests: [ready] };
    expect(JSON.stringify(decide(state, NOW).stages)).not.toContain('NotReadyReason');
  });
});

describe('events about drift', () => {
  const events = (state: WritableWork): readonly string[] =>
    (decide(state, NOW).events ?? []).map(({ reason, message }) => `${reason}: ${message}`);
  const written = (manifest: ManifestState): ManifestState => ({
    ...manifest,
    attempt: { content: 'other', at: 0, outcome: { type: 'done', after: '' }, repeats: 0 },
  });
  const one = (manifest: ManifestState, over: Given = {}): WritableWork => given({ ...settled({}, ['a']), manifests: [manifest], ...over });

  it('an object that was changed', () => {
    const changed = written({ ...settledManifest('a'), live: owned(object('a', { data: { a: 'by hand' } })) });
    expect(events(one(changed))).toEqual([
      'DriftRepaired: ConfigMap ns/a was changed on the cluster: the agent applies the manifest again',
    ]);
  });
  it('an object that was deleted', () => {
    const deleted = written({ ...settledManifest('a'), live: { state: 'absent' } });
    expect(events(one(deleted))).toEqual([
      'DriftRepaired: ConfigMap ns/a was deleted on the cluster: the agent applies the manifest again',
    ]);
  });
  it('none for the first application, for new content, for what a dry run may find unnecessary, or for a settled work', () => {
    const changed = { ...settledManifest('a'), live: owned(object('a', { data: { a: 'other' } })) };
    expect(events(one({ ...written(changed), before: undefined }))).toEqual([]);
    expect(events(one(written(changed), { work: { generation: 2 } }))).toEqual([]);
    expect(events(one(changed))).toEqual([]);
    expect(events(one(settledManifest('a')))).toEqual([]);
  });
});
