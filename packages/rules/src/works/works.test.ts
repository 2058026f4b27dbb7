import type { ManifestWork } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { NEWEST_RENDERER, rendererOf } from '../render/renderers.js';
import { type WorkProjection, projectWork } from './work-projection.js';
import { type WorkInput, deployWorkIndex, desiredWorks } from './desired.js';
import { feedbackRules, probesOf, verdictOf } from './feedback.js';
import { appliedCondition, probeCondition } from './health.js';
import { manifestConfigs } from './manifest-configs.js';
import { worksProgress } from './progress.js';
import { WORKLOAD_KINDS } from './workload-kinds.js';

const deployment = (name: string, extra: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'n' },
  ...extra,
});
const job = (annotations: JsonObject): JsonObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j', namespace: 'n', annotations },
});

function input(manifests: readonly JsonObject[], authored: WorkInput['authored'] = {}): WorkInput {
  const owner = { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u', controller: true };
  return {
    addOnName: 'hello',
    cluster: 'c1',
    renderer: rendererOf(NEWEST_RENDERER),
    version: 'v1',
    configSpecHash: '{"a":"b"}',
    renderInputs: 'digest',
    installNamespace: 'n',
    owner,
    manifests,
    authored,
  };
}

function only(list: readonly ManifestWork[]): ManifestWork {
  const [first, ...rest] = list;
  if (!first || rest.length > 0) throw new Error(`${list.length} works`);
  return first;
}

describe('works: their content', () => {
  it('a work carries the labels, the hash and the owner other programs look for', () => {
    const { metadata } = only(desiredWorks(input([deployment('a')]), []));
    expect(metadata).toMatchObject({
      name: 'addon-hello-deploy-0',
      namespace: 'c1',
      labels: { 'open-cluster-management.io/addon-name': 'hello', 'open-cluster-management.io/addon-version': 'v1' },
      annotations: { 'open-cluster-management.io/config-spec-hash': '{"a":"b"}', 'outrigger.dev/render-inputs': 'digest' },
      ownerReferences: [{ uid: 'u' }],
    });
  });

  it('an add-on without versions has no version label, and one without configurations no hash', () => {
    const { metadata } = only(desiredWorks({ ...input([deployment('a')]), version: '', configSpecHash: undefined }, []));
    expect(Object.keys(metadata.labels ?? {})).toEqual(['open-cluster-management.io/addon-name']);
    expect(metadata.annotations).not.toHaveProperty('open-cluster-management.io/config-spec-hash');
  });

  it('executor, deleteOption and manifestConfigs of the template are honoured', () => {
    const executor = { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 's' } } };
    const configs = [{ resourceIdentifier: { resource: 'configmaps', namespace: 'n', name: 'c' }, updateStrategy: { type: 'CreateOnly' } }];
    const authored = { executor, deleteOption: { propagationPolicy: 'Orphan' as const }, manifestConfigs: configs };
    const { spec } = only(desiredWorks(input([deployment('a')], authored), []));
    expect(spec).toMatchObject({ executor, deleteOption: { propagationPolicy: 'Orphan' } });
    expect(spec.manifestConfigs?.[0]).toEqual(configs[0]);
    expect(spec.manifestConfigs?.[1]).toMatchObject({
      resourceIdentifier: { group: 'apps', resource: 'deployments', namespace: 'n', name: 'a' },
    });
  });

  it('objects annotated to stay are orphaned, besides those that the author orphans', () => {
    const stay = { metadata: { name: 'c', namespace: 'n', annotations: { 'addon.open-cluster-management.io/deletion-orphan': '' } } };
    const manifests = [deployment('a'), { apiVersion: 'v1', kind: 'ConfigMap', ...stay }];
    const rule = { group: '', resource: 'secrets', namespace: 'n', name: 's' };
    const deleteOption = { propagationPolicy: 'SelectivelyOrphan' as const, selectivelyOrphans: { orphaningRules: [rule] } };
    const { spec } = only(desiredWorks(input(manifests, { deleteOption }), []));
    expect(spec.deleteOption?.selectivelyOrphans?.orphaningRules).toEqual([
      rule,
      { group: '', resource: 'configmaps', name: 'c', namespace: 'n' },
    ]);
  });

  it('only a name that the hub gives to a work is the name of a deploy work', () => {
    const names = ['deploy-0', 'deploy-10', 'deploy-00', 'deploy-01', 'deploy-', 'deploy-1-0', 'pre-delete'];
    expect(names.map((name) => deployWorkIndex('hello', `addon-hello-${name}`))).toEqual([
      0,
      10,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('the size of a work counts bytes and not characters, as admission does', () => {
    const text = (name: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'n' },
      data: { text: '\u6f22'.repeat(100_000) },
    });
    expect(desiredWorks(input([text('a'), text('b')]), [])).toHaveLength(2);
  });

  it('AT-17 an annotation makes only a Job or Pod a hook, and names no other cluster', () => {
    const annotations = {
      'addon.open-cluster-management.io/addon-pre-delete': '',
      'addon.open-cluster-management.io/hosting-cluster-name': 'hub',
    };
    const list = desiredWorks(input([deployment('a', { metadata: { name: 'a', namespace: 'n', annotations } }), job(annotations)]), []);
    expect(list.map(({ metadata }) => metadata.namespace)).toEqual(['c1']);
    expect(only(list).spec.workload?.manifests?.map(({ kind }) => kind)).toEqual(['Deployment']);
  });
});

describe('works: requested feedback', () => {
  const probes = probesOf([deployment('a')]);
  it('an author’s rules come first and are kept', () => {
    const resourceIdentifier = { group: 'apps', resource: 'deployments', namespace: 'n', name: 'a' };
    const own = { name: 'DesiredReplicas', path: '.spec.mine' };
    const authored = [{ resourceIdentifier, feedbackRules: [{ type: 'JSONPaths', jsonPaths: [own] }], conditionRules: ['kept'] }];
    const [config] = manifestConfigs(authored, probes);
    const rules = config?.['feedbackRules'] as unknown as readonly {
      type: string;
      jsonPaths?: readonly { name: string; path: string }[];
    }[];
    expect(config?.['conditionRules']).toEqual(['kept']);
    expect(rules.map(({ type }) => type)).toEqual(['JSONPaths', 'WellKnownStatus']);
    expect(rules[0]?.jsonPaths?.filter(({ name }) => name === 'DesiredReplicas')).toEqual([own]);
    expect(rules[0]?.jsonPaths?.map(({ name }) => name)).toContain('UpdatedReplicas');
  });
  describe('rules of the author for a pattern of names', () => {
    const own = { type: 'JSONPaths', jsonPaths: [{ name: 'Mine', path: '.spec.mine' }] };
    const about = (name: string, more: JsonObject): JsonObject => ({
      resourceIdentifier: { group: 'apps', resource: 'deployments', namespace: 'n', name },
      ...more,
    });
    const pattern = about('*', { feedbackRules: [own], updateStrategy: { type: 'ServerSideApply' } });
    /** The names that an agent reads, which takes the rules of the first manifest config that has any. */
    const read = (configs: readonly JsonObject[]): readonly unknown[] => {
      const rules = configs.map(({ feedbackRules }) => (feedbackRules ?? []) as unknown as readonly { jsonPaths?: { name: string }[] }[]);
      return (rules.find((list) => list.length > 0) ?? []).flatMap(({ jsonPaths = [] }) => jsonPaths.map(({ name }) => name));
    };

    it.each([
      { name: 'alone', authored: [pattern] },
      { name: 'after settings of the workload', authored: [about('a', { updateStrategy: { type: 'CreateOnly' } }), pattern] },
      { name: 'before settings of the workload', authored: [pattern, about('a', { updateStrategy: { type: 'CreateOnly' } })] },
      { name: 'before other rules of the workload', authored: [pattern, about('a', { feedbackRules: [{ type: 'WellKnownStatus' }] })] },
    ])('$name: the hub’s rules are added to them, and no other setting changes', ({ authored }) => {
      const configs = manifestConfigs(authored, probes);
      expect(read(configs)).toEqual(expect.arrayContaining(['Mine', 'UpdatedReplicas']));
      const strategies = (list: readonly JsonObject[]): unknown[] => list.flatMap(({ updateStrategy }) => updateStrategy ?? []);
      expect(strategies(configs)).toEqual(strategies(authored));
      expect(configs).toContainEqual(pattern);
    });

    it('that matches no workload, or has no rules, changes nothing', () => {
      const others = [about('b*', { feedbackRules: [own] }), about('*', { updateStrategy: { type: 'ReadOnly' } })];
      expect(manifestConfigs(others, probes)).toEqual([...others, ...manifestConfigs([], probes)]);
    });
  });
  it.each([
    { renderer: 1, kinds: [] },
    { renderer: 2, kinds: ['WellKnownStatus', 'JSONPaths'] },
  ])('renderer $renderer: the health of a workload scaled to zero is not probed, feedback rules are $kinds', ({ renderer, kinds }) => {
    const idle = deployment('a', { spec: { replicas: 0 } });
    const work = only(desiredWorks({ ...input([idle]), renderer: rendererOf(renderer) }, []));
    const rules = (work.spec.manifestConfigs ?? []).flatMap(({ feedbackRules = [] }) => feedbackRules.map(({ type }) => type));
    expect(rules).toEqual(kinds);
    expect(projectWork(work, (value) => value).probed).toEqual([]);
  });
});

describe('works: the table of workload kinds', () => {
  it('the feedback of a Job is requested and read', () => {
    const [probe] = probesOf([job({})]);
    expect(probe?.id).toEqual({ group: 'batch', resource: 'jobs', namespace: 'n', name: 'j' });
    expect(probe && feedbackRules(probe).map((rule) => rule['type'])).toEqual(['WellKnownStatus', 'JSONPaths']);
  });
  it.each([
    ['nothing', {}, undefined],
    ['complete', { JobComplete: 'True' }, true],
    ['failed', { FailedCondition: 'True' }, false],
    ['still running', { JobComplete: 'False' }, undefined],
  ])('a Job that reports %s', (_, values, want) => {
    const verdict = verdictOf({ group: 'batch', resource: 'jobs', namespace: 'n', name: 'j', values });
    expect(verdict).toMatchObject({ isHealthy: want, isRolledOut: true });
  });
  it('a Job counts if its work requests its feedback; in an older work it does not', () => {
    const work = only(desiredWorks(input([job({})]), []));
    expect(projectWork(work, (value) => value).probed).toEqual(['jobs/n/j']);
    const { manifestConfigs: _, ...spec } = work.spec;
    expect(projectWork({ ...work, spec } as ManifestWork, (value) => value).probed).toEqual([]);
  });
  it.each([
    ['JobComplete', 'ProbeAvailable'],
    ['FailedCondition', 'ProbeUnavailable'],
    ['Other', 'NoProbeResult'],
  ])('an add-on whose Job reports %s is %s', (name, reason) => {
    const work = only(desiredWorks(input([job({})]), []));
    const conditions = ['Applied', 'Available'].map((type) => ({ type, status: 'True', reason: 'r', message: '', observedGeneration: 1 }));
    const values = [{ name, fieldValue: { type: 'String', string: 'True' } }];
    const resourceMeta = { group: 'batch', resource: 'jobs', namespace: 'n', name: 'j' };
    const status = { conditions, resourceStatus: { manifests: [{ resourceMeta, statusFeedback: { values } }] } };
    const reported = { ...work, metadata: { ...work.metadata, generation: 1 }, status } as unknown as ManifestWork;
    expect(probeCondition('hello', [projectWork(reported, (value) => value)])?.reason).toBe(reason);
  });
  it('no feedback is requested for a pre-delete hook', () => {
    const hook = job({ 'addon.open-cluster-management.io/addon-pre-delete': '' });
    expect(only(desiredWorks(input([deployment('a'), hook]), [])).spec.manifestConfigs?.map((one) => one.resourceIdentifier?.name)).toEqual(
      ['a'],
    );
  });
  it('the same resource name of another group is not read as the workload', () => {
    const values = { AvailableCondition: 'False' };
    expect(verdictOf({ group: 'example.com', resource: 'deployments', namespace: 'n', name: 'a', values })).toBeUndefined();
    expect(verdictOf({ group: 'apps', resource: 'deployments', namespace: 'n', name: 'a', values })?.isHealthy).toBe(false);
  });
  it.each(Object.keys(WORKLOAD_KINDS))('%s: its feedback finds its row', (name) => {
    const [group = '', kind = ''] = name.split('/');
    const [probe] = probesOf([{ apiVersion: `${group}/v1`, kind, metadata: { name: 'a', namespace: 'n' } }]);
    expect(probe && verdictOf({ ...probe.id, values: {} })?.id).toEqual(probe?.id);
  });
});

describe('works: the meaning of feedback', () => {
  const verdict = (resource: string, values: Record<string, number | string>): unknown[] => {
    const found = verdictOf({ group: 'apps', resource, namespace: 'n', name: 'a', values });
    return [found?.isHealthy, found?.isRolledOut];
  };
  const up = { DesiredReplicas: 2, Replicas: 2, UpdatedReplicas: 2, AvailableReplicas: 2, ReadyReplicas: 2 };
  it.each([
    ['everything up', 'deployments', up, [true, true]],
    [
      'the new pods crash while the old ones serve',
      'deployments',
      { ...up, Replicas: 3, UpdatedReplicas: 1, AvailableCondition: 'True' },
      [true, false],
    ],
    ['the Deployment reports that it is not available', 'deployments', { ...up, AvailableCondition: 'False' }, [false, true]],
    ['one ready replica is enough if only counts are reported', 'deployments', { Replicas: 3, ReadyReplicas: 1 }, [true, true]],
    ['no replica is ready, and the API omits the count', 'deployments', { Replicas: 3 }, [false, true]],
    ['an older generation was observed', 'deployments', { ...up, Generation: 2, ObservedGeneration: 1 }, [true, false]],
    [
      'a daemon on every node',
      'daemonsets',
      { DesiredNumberScheduled: 2, NumberReady: 2, UpdatedNumberScheduled: 2, NumberAvailable: 2 },
      [true, true],
    ],
    ['a daemon missing on one', 'daemonsets', { DesiredNumberScheduled: 2, NumberReady: 1 }, [false, false]],
    ['nothing reported', 'deployments', {}, [undefined, true]],
  ])('%s', (_, resource, values, want) => expect(verdict(resource, values)).toEqual(want));
});

describe('works: over all of them', () => {
  const condition = (status: string, since = '2026-01-01T00:00:00Z'): JsonObject => ({
    status,
    reason: 'r',
    message: 'm',
    lastTransitionTime: since,
    observedGeneration: 1,
  });
  const projected = (name: string, applied: string | undefined, available: string | undefined): WorkProjection => {
    const conditions = [
      ...(applied ? [{ type: 'Applied', ...condition(applied) }] : []),
      ...(available ? [{ type: 'Available', ...condition(available) }] : []),
    ];
    const work = {
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
      metadata: { name, namespace: 'c1', generation: 1 },
      spec: { workload: { manifests: [] } },
      status: { conditions },
    };
    return projectWork(work, (value) => value);
  };
  const at = Date.parse('2026-01-01T00:00:30Z');

  it.each([
    ['all applied', [projected('a', 'True', 'True'), projected('b', 'True', 'True')], 'AddonManifestApplied'],
    ['one failed, whichever comes last', [projected('a', 'False', 'True'), projected('b', 'True', 'True')], 'AddonManifestAppliedFailed'],
    ['one workload has not reported yet', [projected('a', 'True', 'True'), projected('b', undefined, undefined)], undefined],
  ])('ManifestApplied: %s', (_, list, want) => expect(appliedCondition(list)?.reason).toBe(want));

  it('ManifestApplied names the first objects that the cluster refuses, of every work that failed', () => {
    const refusing = (name: string, objects: readonly string[]): WorkProjection => ({
      ...projected(name, 'False', 'True'),
      failures: objects.map((object) => ({ manifest: `ConfigMap ns/${object}`, message: 'no' })),
    });
    expect(appliedCondition([refusing('a', ['x']), projected('b', 'True', 'True'), refusing('c', ['y', 'z', 'more'])])?.message).toBe(
      'failed to apply the manifests of addon: ConfigMap ns/x: no; ConfigMap ns/y: no; ConfigMap ns/z: no and 1 more',
    );
    expect(appliedCondition([refusing('a', [])])?.message).toBe('failed to apply the manifests of addon');
  });

  it.each([
    ['no work', [], 'Unknown WorkNotFound'],
    ['not applied yet', [projected('a', undefined, undefined)], 'Unknown WorkNotApplied'],
    ['not available', [projected('a', 'True', 'False')], 'False WorkNotApplied'],
    ['nothing to probe', [projected('a', 'True', 'True')], 'True WorkApplied'],
  ])('Available: %s', (_, list, want) => {
    const { status, reason } = probeCondition('hello', list) ?? {};
    expect(`${status ?? ''} ${reason ?? ''}`).toBe(want);
  });

  it('a work that cannot be applied fails the move after a minute, and requests a recheck then', () => {
    const failing = [projected('a', 'False', undefined)];
    expect(worksProgress(failing, at)).toEqual({ isDone: false, failure: undefined, recheckAt: at + 30_000 });
    expect(worksProgress(failing, at + 30_000).failure).toBe('a: m');
  });
});
