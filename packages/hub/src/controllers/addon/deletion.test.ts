import { describe, expect, it } from 'vitest';
import {
  type Hub,
  T0,
  addOn,
  admitted,
  after,
  briefly,
  condition,
  declaration,
  deployment,
  freshHub,
  pass,
  preDeleteJob,
  reported,
  settledHub,
  template,
  conditionText,
} from './fixtures.js';
import type { AddOnMemory } from './state.js';

const HOOK = 'addon.open-cluster-management.io/addon-pre-delete';
const HOOK_WORK = 'ManifestWork c1/addon-hello-pre-delete';
const STATUS = 'patch ManagedClusterAddOn/status c1/hello';
const META = 'patch ManagedClusterAddOn c1/hello';

const running = settledHub({ templates: [template([deployment(), preDeleteJob()])] });

function deleted(hub: Hub): Hub {
  const live = hub.clusterAddOn ?? addOn('hello');
  return { ...hub, clusterAddOn: { ...live, metadata: { ...live.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } };
}

const KEPT = 'outrigger.dev/pre-delete-manifests';

function withAnnotations(hub: Hub, annotations: Record<string, string>): Hub {
  const live = hub.clusterAddOn ?? addOn('hello');
  return { ...hub, clusterAddOn: { ...live, metadata: { ...live.metadata, annotations } } };
}

/** The annotation that a pass writes. Null removes it; undefined leaves it unchanged. */
function annotationOf(hub: Hub): unknown {
  const action = pass(hub)
    .stages.flat()
    .find(({ id }) => id === 'metadata');
  const metadata = action?.type === 'patch' ? (action.patch['metadata'] as { annotations?: Record<string, unknown> }) : {};
  return metadata.annotations?.[KEPT];
}

/**
 * A hub whose rollout has another target and does not admit the cluster. The add-on's annotation names the revision that the cluster has.
 */
function heldBack(hub: Hub): Hub {
  const { clusterAddOn: live = addOn('hello'), rollout } = hub;
  const history = rollout?.status?.history ?? [];
  const next = history.map((target) => ({ ...target, revision: 2, digest: 'e', configs: [] }));
  const annotations = { ...live.metadata.annotations, 'outrigger.dev/revision': '1' };
  return {
    ...hub,
    clusterAddOn: { ...live, metadata: { ...live.metadata, annotations } },
    rollout: rollout && { ...rollout, status: { entries: [{ name: 'default', targetRevision: 2 }], history: [...next, ...history] } },
  };
}

function hookReports(hub: Hub, values: Record<string, string>): Hub {
  const job = { group: 'batch', resource: 'jobs', name: 'bye' };
  return { ...hub, works: hub.works.map((work) => (work.metadata.name === 'addon-hello-pre-delete' ? reported(work, values, job) : work)) };
}

describe('add-on: hooks that run before its removal', () => {
  const started = after(deleted(running), pass(deleted(running)));
  const cases: { name: string; hub: Hub; want: string[]; at?: number }[] = [
    { name: 'an add-on with hooks carries the finalizer, and the hook is no part of its works', hub: running, want: [] },
    { name: 'deletion starts the hook and reports it', hub: deleted(running), want: [`create ${HOOK_WORK}`, ';', STATUS] },
    { name: 'while it runs nothing more happens', hub: started, want: [] },
    { name: 'a failed hook is waited for', hub: hookReports(started, { JobComplete: 'False' }), want: [] },
    { name: 'its completion is reported first', hub: hookReports(started, { JobComplete: 'True' }), want: [STATUS] },
    {
      name: 'then the finalizer is removed',
      hub: after(hookReports(started, { JobComplete: 'True' }), pass(hookReports(started, { JobComplete: 'True' }))),
      want: [META],
    },
    { name: 'AT-46 after ten minutes the finalizer goes all the same', hub: started, want: [META], at: T0 + 600_000 },
    { name: 'a deleted cluster does not delay the removal', hub: { ...deleted(running), cluster: undefined }, want: [META] },
    {
      name: 'the hook of the revision in its annotation runs, also while the add-on waits for its admission',
      hub: heldBack(deleted(running)),
      want: [`create ${HOOK_WORK}`, ';', STATUS],
    },
    {
      name: 'without a hook in the template the finalizer goes',
      hub: deleted(freshHub({ clusterAddOn: addOn('hello', { metadata: { finalizers: [HOOK] } }) })),
      want: [META],
    },
    {
      name: 'a deprecated finalizer goes, others stay',
      hub: deleted(
        freshHub({
          clusterAddOn: addOn('hello', { metadata: { finalizers: ['cluster.open-cluster-management.io/addon-pre-delete', 'mine'] } }),
        }),
      ),
      want: [META],
    },
    { name: 'without a hook nothing is written', hub: deleted(settledHub()), want: [] },
  ];
  it.each(cases)('$name', ({ hub, want, at = T0 }) => expect(briefly(pass(hub, { at }))).toEqual(want));

  it('the running add-on has the finalizer, and only its deployment in its work', () => {
    expect(running.clusterAddOn?.metadata.finalizers).toEqual([HOOK]);
    expect(running.works.map(({ spec }) => spec.workload?.manifests?.map(({ kind }) => kind))).toEqual([['Deployment']]);
  });

  it('the condition names the work, and the end by deadline leaves an Event', () => {
    expect(conditionText(pass(deleted(running)), 'HookManifestCompleted')).toBe(
      'False HookManifestIsNotCompleted: hook manifestWork addon-hello-pre-delete is not completed.',
    );
    expect(pass(started, { at: T0 + 600_000 }).events).toMatchObject([{ type: 'Warning', reason: 'Failed' }]);
  });

  describe('after template, declaration, record and stored content are deleted as well', () => {
    const allGone = (hub: Hub): Hub => ({ ...deleted(hub), templates: [], declarations: [], rollout: undefined, contents: [] });
    const hookOf = (hub: Hub): unknown => {
      const action = pass(hub)
        .stages.flat()
        .find(({ id }) => id === 'work/addon-hello-pre-delete');
      return action && 'object' in action ? (action.object as { spec?: unknown }).spec : undefined;
    };
    it('the hook is the one rendered for the cluster', () => {
      expect(hookOf(deleted(running))).toBeDefined();
      expect(hookOf(allGone(running))).toEqual(hookOf(deleted(running)));
    });
    it('an add-on whose hooks an earlier manager did not keep waits for the deadline', () => {
      const plain = withAnnotations(running, {});
      expect(briefly(pass(plain)), 'nothing is written to it while it is settled').toEqual([]);
      expect(briefly(pass(allGone(plain)))).toEqual([STATUS]);
      expect(briefly(pass(allGone(plain), { at: T0 + 600_000 }))).toEqual([META]);
    });
    it.each(['', 'no JSON', '{}', '[]', '[1]', '[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}]'])(
      'an annotation that a person broke (%s) is not used',
      (text) => {
        const broken = withAnnotations(running, { [KEPT]: text });
        expect(briefly(pass(allGone(broken)))).toEqual([STATUS]);
        expect(hookOf(deleted(broken))).toEqual(hookOf(deleted(running)));
      },
    );
    it('changed hooks are stored again with the works, and deleted with the last hook', () => {
      const edited = (...manifests: Parameters<typeof template>[0] & object): Hub => {
        const next = template(manifests);
        return { ...running, templates: [next], rollout: admitted([{ resource: 'addontemplates', object: next }]) };
      };
      const job = preDeleteJob();
      const other = { ...job, metadata: { ...(job['metadata'] as object), name: 'other' } };
      expect(annotationOf(edited(deployment(), other))).toContain('"name":"other"');
      expect(annotationOf(edited(deployment('agent2'), job)), 'unchanged hooks').toBeUndefined();
      expect(annotationOf(edited(deployment()))).toBeNull();
      const large = { ...job, spec: { large: 'x'.repeat(200 * 1024) } };
      expect(annotationOf(edited(deployment(), large)), 'more than an annotation holds').toBeNull();
    });
  });

  describe('AT-17 hooks that a user wrote into the annotation before Outrigger was installed', () => {
    const forged = JSON.stringify([{ ...preDeleteJob(), metadata: { ...(preDeleteJob()['metadata'] as object), name: 'forged' } }]);
    const renderedElsewhere = freshHub({ declarations: [declaration('hello')], templates: [], rollout: admitted([], '') });
    it.each<[string, Hub]>([
      ['if another manager renders the add-on', renderedElsewhere],
      ['if the template has no hooks', freshHub()],
      ['of a settled add-on without hooks', settledHub()],
    ])('are removed %s', (_name, hub) => expect(annotationOf(withAnnotations(hub, { [KEPT]: forged }))).toBeNull());

    it('do not run while the hooks of the template can be rendered', () => {
      const hub = deleted(withAnnotations(running, { ...running.clusterAddOn?.metadata.annotations, [KEPT]: forged }));
      const action = pass(hub)
        .stages.flat()
        .find(({ id }) => id === 'work/addon-hello-pre-delete');
      expect(JSON.stringify(action)).toContain('"bye"');
      expect(JSON.stringify(action)).not.toContain('forged');
    });
  });

  it.each([3_600_000, -3_600_000])('AT-48 a clock that jumps by %i ms neither ends the wait for a hook nor extends it', (jump) => {
    let remembered = pass(deleted(running)).remember as AddOnMemory | undefined;
    const look = (monotonic: number): readonly string[] => {
      const decision = pass(started, { at: T0 + monotonic + jump, monotonic, remembered });
      remembered = decision.remember as AddOnMemory | undefined;
      return briefly(decision);
    };
    expect(look(1_000)).toEqual([]);
    expect(look(599_000)).toEqual([]);
    expect(look(600_000)).toEqual([META]);
  });

  it.each([3_600_000, -3_600_000])(
    'AT-48 a clock that jumped by %i ms before the deletion neither skips a hook nor extends its wait',
    (jump) => {
      let remembered = pass(running, { at: T0 + jump - 300_000, monotonic: -300_000 }).remember as AddOnMemory | undefined;
      const look = (hub: Hub, monotonic: number): readonly string[] => {
        const decision = pass(hub, { at: T0 + monotonic + jump, monotonic, remembered });
        remembered = (decision.remember as AddOnMemory | undefined) ?? remembered;
        return briefly(decision);
      };
      expect(look(deleted(running), 1_000)).toEqual([`create ${HOOK_WORK}`, ';', STATUS]);
      expect(look(started, 600_000)).toEqual([]);
      expect(look(started, 601_000)).toEqual([META]);
    },
  );

  it('requests a recheck at the deadline', () => expect(pass(started, { at: T0 + 1000 }).requeueAfterMs).toBe(599_000));

  it('a completed hook is remembered though its work is gone', () => {
    const conditionText = [condition('HookManifestCompleted', 'True', 'HookManifestIsCompleted')];
    const hub = {
      ...started,
      works: [],
      clusterAddOn: { ...(started.clusterAddOn ?? addOn('hello')), status: { ...started.clusterAddOn?.status, conditions: conditionText } },
    };
    expect(briefly(pass(hub))).toEqual([META]);
  });
});
