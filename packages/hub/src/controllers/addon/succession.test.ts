import type { ManifestWork } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { keptNote } from '@outrigger/rules/works';
import { withKept } from './kept-work.js';
import { type Hub, T0, admitted, after, briefly, deployment, pass, reported, settledHub, template, conditionText } from './fixtures.js';

const FIRST = 'ManifestWork c1/addon-hello-deploy-0';
const SECOND = 'ManifestWork c1/addon-hello-deploy-1';
const STATUS = 'patch ManagedClusterAddOn/status c1/hello';

/** A manifest so large that two of them do not fit into one work. */
function large(name: string, text: string = 'x'.repeat(300_000)): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'hello' }, data: { text } };
}

function moved(hub: Hub, manifests: readonly JsonObject[]): Hub {
  const next = template(manifests);
  return { ...hub, templates: [next], rollout: admitted([{ resource: 'addontemplates', object: next }]) };
}

function withNote(work: ManifestWork): Record<string, string> {
  return { ...work.metadata.annotations, 'outrigger.dev/written': keptNote(work) };
}

/** The hub after the agent has reported on the first work. */
function withReport(hub: Hub, report: (work: ManifestWork) => ManifestWork): Hub {
  return { ...hub, works: hub.works.map((work) => (work.metadata.name === 'addon-hello-deploy-0' ? report(work) : work)) };
}

function refused(work: ManifestWork): ManifestWork {
  const { status } = reported(work);
  const conditions = (status?.conditions ?? []).map((one) => ({ ...one, status: 'False' as const, message: 'refused' }));
  return { ...work, status: { ...status, conditions } };
}

describe('works of a new version that needs fewer of them', () => {
  const two = settledHub({ templates: [template([deployment(), large('a'), large('b')])] });
  const oneLess = moved(two, [{ ...deployment(), metadata: { name: 'agent', namespace: 'hello', labels: { version: 'v2' } } }, large('a')]);
  const gone = moved(two, [deployment()]);
  const written = after(oneLess, pass(oneLess));

  it('two large manifests are two works', () => expect(two.works).toHaveLength(2));

  it('the wanted works are written; the surplus one stays', () => expect(briefly(pass(oneLess))).toEqual([`patch ${FIRST}`, ';', STATUS]));

  it('while the agent has not reported, nothing is written again and nothing is removed', () => {
    expect(briefly(pass(written))).toEqual([]);
  });

  it('works that cannot be applied fail the move after a minute, and nothing is removed', () => {
    const failing = withReport(written, refused);
    expect(briefly(pass(failing)).filter((write) => write !== STATUS)).toEqual([]);
    const later = pass(failing, { at: T0 + 60_000 });
    expect(briefly(later)).toEqual([STATUS]);
    expect(conditionText(later, 'Progressing')).toContain('False Failed');
  });

  it('when they are applied, the surplus one is deleted, and the move is done', () => {
    const applied = withReport(written, reported);
    expect(briefly(pass(applied))[0]).toBe(`delete ${SECOND}`);
    const last = after(applied, pass(applied));
    expect(conditionText(pass(last), 'Progressing') ?? conditionText(pass(applied), 'Progressing')).toContain('False Succeed');
  });

  it('a work that loses one manifest and brings another keeps the first until all are applied', () => {
    const next = moved(two, [
      { ...deployment(), metadata: { name: 'agent', namespace: 'hello', labels: { version: 'v2' } } },
      large('a'),
      large('c'),
    ]);
    const decision = pass(next);
    const kept = decision.stages.flat().find((action) => action.type === 'effect');
    expect(kept).toMatchObject({
      effect: 'keep-manifests',
      input: { key: { name: 'addon-hello-deploy-1' }, lost: ['/ConfigMap/hello/b'] },
    });
    const { work, lost } = (kept as { input: { work: ManifestWork; lost: readonly string[] } }).input;
    const keeping: Hub = {
      ...after(next, decision),
      works: after(next, decision).works.map((live) =>
        live.metadata.name === work.metadata.name
          ? { ...live, ...withKept(work, live, []), metadata: { ...work.metadata, annotations: withNote(work), generation: 2 } }
          : live,
      ),
    };
    expect(lost).toHaveLength(1);
    // The manifests of the fixture do not fit in one work, so the test itself sets the annotation and the manifests of the work that keeps
    // a manifest.
    const unapplied = {
      ...keeping,
      works: keeping.works.map((live) =>
        live.metadata.name === work.metadata.name
          ? { ...live, spec: { ...live.spec, workload: { manifests: [large('b'), large('c')] as never } } }
          : live,
      ),
    };
    expect(briefly(pass(unapplied)).filter((write) => write !== STATUS)).toEqual([]);
    const applied = { ...unapplied, works: unapplied.works.map((live) => reported(live)) };
    expect(briefly(pass(applied))[0]).toBe(`patch ${SECOND}`);
  });

  it.each([
    { name: 'of ASCII text', text: 'x'.repeat(300_000) },
    { name: 'of other text, whose characters take several bytes', text: '\u6f22'.repeat(100_000) },
  ])('manifests $name that are too large to be kept beside the new ones are not kept', ({ text }) => {
    const [first] = two.works;
    const live = { ...first, spec: { workload: { manifests: [large('b', text)] } } } as unknown as ManifestWork;
    const small = { ...live, spec: { workload: { manifests: [deployment()] } } } as unknown as ManifestWork;
    const ids = (one: ManifestWork): unknown => one.spec.workload?.manifests?.map(({ kind }) => kind);
    expect(ids(withKept(small, live, ['/ConfigMap/hello/b']))).toEqual(['ConfigMap', 'Deployment']);
    expect(
      withKept({ ...live, spec: { workload: { manifests: [large('c', text)] } } } as never, live, ['/ConfigMap/hello/b']).spec.workload
        ?.manifests,
    ).toHaveLength(1);
  });

  it('a surplus work whose removal takes long causes no further writes', () => {
    const applied = withReport(written, reported);
    const removing = {
      ...applied,
      works: applied.works.map((work) =>
        work.metadata.name === 'addon-hello-deploy-1'
          ? { ...work, metadata: { ...work.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
          : work,
      ),
    };
    expect(briefly(pass(removing)).filter((write) => write !== STATUS)).toEqual([]);
  });

  it('the same is true if one work loses all of its manifests and the other none', () => {
    expect(briefly(pass(gone)).filter((write) => write.startsWith('delete'))).toEqual([]);
  });
});

describe('a work that keeps manifests until the others are applied', () => {
  const config = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'hello' } });
  const rule = (name: string, type: string): JsonObject => ({
    resourceIdentifier: { resource: 'configmaps', namespace: 'hello', name },
    updateStrategy: { type },
  });
  const workOf = (names: readonly string[], more: object = {}): ManifestWork =>
    ({ metadata: { name: 'w' }, spec: { workload: { manifests: names.map(config) }, ...more } }) as unknown as ManifestWork;
  const keeping = (wanted: ManifestWork, live: ManifestWork): ManifestWork['spec'] =>
    withKept(wanted, live, ['/ConfigMap/hello/lost']).spec;
  const orphan = { propagationPolicy: 'Orphan' };

  it.each([
    { name: 'its own entry', live: [rule('lost', 'ReadOnly')], wanted: [], want: [rule('lost', 'ReadOnly')] },
    { name: 'a pattern, for itself only', live: [rule('*', 'ReadOnly')], wanted: [], want: [rule('lost', 'ReadOnly')] },
    {
      name: 'an entry whose strategy is new for the other manifests',
      live: [rule('l*', 'CreateOnly')],
      wanted: [rule('l*', 'Update')],
      want: [rule('lost', 'CreateOnly'), rule('l*', 'Update')],
    },
    { name: 'no entry of another manifest', live: [rule('a', 'ReadOnly')], wanted: [], want: undefined },
  ])('leaves the lost manifest $name', ({ live, wanted, want }) => {
    const spec = keeping(workOf(['a'], { manifestConfigs: wanted }), workOf(['a', 'lost'], { manifestConfigs: live }));
    expect(spec.manifestConfigs).toEqual(want);
  });

  it('keeps the delete option of the live work, also if it has none', () => {
    const [plain, orphaning] = [workOf(['a', 'lost']), workOf(['a', 'lost'], { deleteOption: orphan })];
    expect(keeping(workOf(['a']), orphaning).deleteOption).toEqual(orphan);
    expect(keeping(workOf(['a'], { deleteOption: orphan }), plain)).not.toHaveProperty('deleteOption');
  });

  it('has an unchanged spec if nothing but the removal of a manifest is new', () => {
    const configs = ['a', 'lost', 'b'].map((name) => rule(name, 'CreateOnly'));
    const live = workOf(['a', 'lost', 'b'], { manifestConfigs: configs, deleteOption: orphan });
    const wanted = workOf(['a', 'b'], { manifestConfigs: [configs[0], configs[2]] });
    expect(keeping(wanted, live)).toEqual(live.spec);
  });
});
