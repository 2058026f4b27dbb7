import { describe, expect, it } from 'vitest';
import {
  type Hub,
  T0,
  UP,
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
  statusOf,
  template,
  conditionText,
  leavingDefault,
} from './fixtures.js';

const WORK = 'ManifestWork c1/addon-hello-deploy-0';
const STATUS = 'patch ManagedClusterAddOn/status c1/hello';
const META = 'patch ManagedClusterAddOn c1/hello';
const GUARD = 'effect declaration-stands declaration-stands';

describe('add-on: the writes of a pass', () => {
  const settled = settledHub();
  const cases: { name: string; hub: Hub; want: string[] }[] = [
    { name: 'a fresh add-on gets its work, then its status', hub: freshHub(), want: [`create ${WORK}`, ';', STATUS] },
    { name: 'a settled add-on gets nothing', hub: settled, want: [] },
    {
      name: 'one without an owner is adopted before its status is written',
      hub: freshHub({ clusterAddOn: addOn('hello', { metadata: { ownerReferences: [] } }) }),
      want: [GUARD, ';', META, `create ${WORK}`],
    },
    {
      name: 'one without an owner is not adopted by a declaration that is being deleted, which may orphan its add-ons',
      hub: { ...settled, clusterAddOn: withoutOwner(settled), declarations: settled.declarations.map(deleting) },
      want: [],
    },
    {
      name: "another controller's reference is left alone",
      hub: freshHub({
        clusterAddOn: addOn('hello', {
          metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }] },
        }),
      }),
      want: [`create ${WORK}`, ';', STATUS],
    },
    {
      name: 'an edited work is put right',
      hub: {
        ...settled,
        works: settled.works.map((work) => ({ ...work, spec: { ...work.spec, workload: { manifests: [deployment('other')] as never } } })),
      },
      want: [`patch ${WORK}`, ';', STATUS],
    },
    { name: 'a lost work comes back', hub: { ...settled, works: [] }, want: [`create ${WORK}`, ';', STATUS] },
    {
      name: 'one being deleted is waited for',
      hub: {
        ...settled,
        works: settled.works.map((work) => ({ ...work, metadata: { ...work.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })),
      },
      want: [STATUS],
    },
    {
      name: 'works of an upstream manager with the same content are kept as they are',
      hub: {
        ...settled,
        works: settled.works.map((work) => {
          const { 'open-cluster-management.io/config-spec-hash': hash = '' } = work.metadata.annotations ?? {};
          return { ...work, metadata: { ...work.metadata, annotations: { 'open-cluster-management.io/config-spec-hash': hash } } };
        }),
      },
      want: [],
    },
    { name: 'an add-on that looks after itself gets nothing', hub: freshHub({ declarations: [selfManaged()] }), want: [] },
    {
      name: 'before its admission only the status is written',
      hub: freshHub({ rollout: undefined }),
      want: [STATUS],
    },
    {
      name: 'hooks add a finalizer, deprecated ones are removed',
      hub: freshHub({
        templates: [template([deployment(), preDeleteJob()])],
        clusterAddOn: addOn('hello', { metadata: { finalizers: ['cluster.open-cluster-management.io/addon-pre-delete', 'mine'] } }),
      }),
      want: [META, `create ${WORK}`],
    },
  ];
  it.each(cases)('$name', ({ hub, want }) => expect(briefly(pass(hub))).toEqual(want));

  it('a work that was refused does not keep the status from reporting it', () => {
    const refusals = [{ id: 'work/addon-hello-deploy-0', reason: 'Invalid', message: 'spec.workload: too long' }] as const;
    const decision = pass(freshHub(), { refusals });
    expect(briefly(decision)).toEqual([`create ${WORK}`, STATUS]);
    expect(conditionText(decision, 'Progressing')).toBe('False Failed: spec.workload: too long');
    expect(conditionText(decision, 'ManifestApplied')).toBe(
      'False ManifestWorkApplyFailed: failed to apply manifestWork: spec.workload: too long',
    );
  });
});

describe('add-on: taken over from upstream', () => {
  /** An add-on as written by upstream's manager, with its work, its references and upstream's condition reasons. */
  function takenOver(addonName: string): Hub {
    const settled = settledHub({ templates: [template([deployment()], { addonName })] });
    const hashOnly = ({ metadata, ...work }: Hub['works'][number]): Hub['works'][number] => {
      const { 'open-cluster-management.io/config-spec-hash': hash = '' } = metadata.annotations ?? {};
      const { 'open-cluster-management.io/addon-version': _, ...labels } = metadata.labels ?? {};
      return { ...work, metadata: { ...metadata, labels, annotations: { 'open-cluster-management.io/config-spec-hash': hash } } };
    };
    const { configReferences = [], namespace = '' } = settled.clusterAddOn?.status ?? {};
    const status = {
      configReferences,
      namespace,
      conditions: [condition('Progressing', 'False', 'Completed', 'completed with no errors.')],
    };
    return { ...settled, clusterAddOn: addOn('hello', { status }), works: settled.works.map(hashOnly) };
  }

  it.each(['hello', 'other'])('an add-on whose template names %s settles and its work stays as it is', (addonName) => {
    const hub = takenOver(addonName);
    const decision = pass(hub);
    expect(briefly(decision)).toEqual([STATUS]);
    expect(conditionText(decision, 'Progressing')).toBe('False Succeed: install completed with no errors.');
    expect(briefly(pass(after(hub, decision)))).toEqual([]);
  });
});

describe('add-on: the health mode', () => {
  const waiting = { rollout: undefined };
  const elsewhere = { declarations: [declaration('hello')], templates: [] };
  it.each([
    { name: 'of a rendered add-on is published', hub: freshHub(), want: 'Customized' },
    { name: 'is published with the first status before its turn has come', hub: freshHub(waiting), want: 'Customized' },
    {
      name: 'of an add-on that another manager renders is not published by this hub',
      hub: freshHub({ ...elsewhere, rollout: admitted([], '') }),
      want: undefined,
    },
    { name: 'nor before its turn', hub: freshHub({ ...elsewhere, ...waiting }), want: undefined },
    { name: 'of a broken template is published too', hub: freshHub({ templates: [template([{ kind: '' }])] }), want: 'Customized' },
  ])('$name', ({ hub, want }) => expect(statusOf(pass(hub)).healthCheck?.mode).toBe(want));

  it('alone does not cause the first status of an add-on that waits for its admission, which mostly follows within a moment', () => {
    const made = addOn('hello', { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } });
    const decision = pass(freshHub({ ...waiting, clusterAddOn: made }));
    expect(decision).toMatchObject({ stages: [], requeueAfterMs: 5000 });
    expect(statusOf(pass(freshHub({ ...waiting, clusterAddOn: made }), { at: T0 + 5000 })).healthCheck?.mode).toBe('Customized');
  });
});

describe('add-on: the status', () => {
  const settled = settledHub();
  const missingDependency = declaration('hello', { ...settled.declarations[0]?.spec, dependencies: [{ name: 'base' }] });
  const cases: { name: string; hub: Hub; type: string; want: string | undefined; at?: number }[] = [
    { name: 'installing', hub: freshHub(), type: 'Progressing', want: 'True Installing: Installing addon version v1.' },
    {
      name: 'waiting its turn',
      hub: freshHub({ rollout: undefined }),
      type: 'Configured',
      want: 'False ConfigurationsNotConfigured: Configurations updated and not configured yet',
    },
    { name: 'no other condition before its admission', hub: freshHub({ rollout: undefined }), type: 'Available', want: undefined },
    {
      name: 'no cluster',
      hub: freshHub({ cluster: undefined }),
      type: 'Progressing',
      want: 'False Failed: ManagedCluster c1 does not exist',
    },
    {
      name: 'no declaration',
      hub: freshHub({ declarations: [] }),
      type: 'Progressing',
      want: 'False Failed: ClusterManagementAddOn hello does not exist',
    },
    {
      name: 'a required dependency missing, as Degraded',
      hub: { ...settled, declarations: [missingDependency] },
      type: 'Degraded',
      want: "True RequiredDependencyNotSatisfied: Required addon 'base' is not installed or not available",
    },
    {
      name: 'AT-35 a required dependency missing beats workloads that are up',
      hub: { ...settled, declarations: [missingDependency] },
      type: 'Available',
      want: "False RequiredDependencyNotSatisfied: Required addon 'base' is not installed or not available",
    },
    {
      name: 'an unreachable cluster beats the dependency',
      hub: { ...settled, declarations: [missingDependency], cluster: unreachable(settled) },
      type: 'Available',
      want: 'Unknown ManagedClusterLeaseUpdateStopped: Registration agent stopped updating its lease.',
    },
    {
      name: 'a dependency that does not exist is missing also while the cluster is unreachable',
      hub: { ...settled, declarations: [missingDependency], cluster: unreachable(settled) },
      type: 'Degraded',
      want: "True RequiredDependencyNotSatisfied: Required addon 'base' is not installed or not available",
    },
    {
      name: 'the availability of an existing dependency is not evaluated then',
      hub: { ...settled, others: [addOn('base')], declarations: [missingDependency], cluster: unreachable(settled) },
      type: 'Degraded',
      want: undefined,
    },
    {
      name: 'an unreachable cluster, of an add-on without a declaration',
      hub: { ...settled, declarations: [], cluster: unreachable(settled) },
      type: 'Available',
      want: 'Unknown ManagedClusterLeaseUpdateStopped: Registration agent stopped updating its lease.',
    },
    {
      name: 'an unreachable cluster, of an add-on that only its own manager knows',
      hub: { ...settled, declarations: [], works: [], cluster: unreachable(settled) },
      type: 'Available',
      want: 'Unknown ManagedClusterLeaseUpdateStopped: Registration agent stopped updating its lease.',
    },
    {
      name: 'a workload that is down, of an add-on without a declaration',
      hub: { ...settled, declarations: [], works: settled.works.map((work) => reported(work, { ...UP, AvailableCondition: 'False' })) },
      type: 'Available',
      want: 'False ProbeUnavailable: Probe addon unavailable with err deployments/hello/agent is not ready',
    },
    {
      name: 'a workload that is down',
      hub: { ...settled, works: settled.works.map((work) => reported(work, { ...UP, AvailableCondition: 'False' })) },
      type: 'Available',
      want: 'False ProbeUnavailable: Probe addon unavailable with err deployments/hello/agent is not ready',
      at: T0 + 2_000,
    },
    {
      name: 'a template that cannot be rendered',
      hub: freshHub({ templates: [template([{ ...deployment(), data: '{{NOBODY}}' }])] }),
      type: 'Progressing',
      want: 'False Failed: addontemplates/hello: Deployment hello/agent at data: variable NOBODY is not defined; defined are CLUSTER_NAME, HUB_KUBECONFIG, INSTALL_NAMESPACE. Set it in the customizedVariables of an AddOnDeploymentConfig',
    },
    {
      name: 'a template of another add-on, which is used as it is referenced',
      hub: freshHub({ templates: [template([deployment()], { addonName: 'other' })] }),
      type: 'Progressing',
      want: 'True Installing: Installing addon version v1.',
    },
    {
      name: 'nothing to apply',
      hub: freshHub({ templates: [template([])] }),
      type: 'ManifestApplied',
      want: 'True AddonManifestApplied: no manifest need to apply',
    },
    {
      name: 'no registration',
      hub: freshHub(),
      type: 'RegistrationApplied',
      want: 'True NilRegistration: Registration of the addon agent is configured',
    },
  ];
  it.each(cases)('$name', ({ hub, type, want, at = T0 }) => expect(conditionText(pass(hub, { at }), type)).toBe(want));

  it('an add-on that another manager renders gets only configuration, dependencies and progress', () => {
    const hub = freshHub({
      templates: [],
      declarations: [declaration('hello', { dependencies: [{ name: 'base' }] })],
      rollout: { ...freshHub().rollout, status: { ...freshHub().rollout?.status, history: [empty()] } } as Hub['rollout'],
    });
    const status = statusOf(pass(hub));
    expect(status.conditions?.map(({ type }) => type).sort()).toEqual(['Configured', 'Degraded', 'Progressing']);
    expect(Object.keys(status).sort()).toEqual(['conditions', 'configReferences']);
  });

  it('an add-on that has arrived stays so: a pod that restarts changes only its health, with or without a field for the version', () => {
    const restarting = settled.works.map((work) =>
      reported(work, { ...UP, UpdatedReplicas: 0, AvailableReplicas: 0, AvailableCondition: 'False' }),
    );
    const { currentVersion: _, ...pruned } = settled.clusterAddOn?.status ?? {};
    for (const status of [settled.clusterAddOn?.status ?? {}, pruned]) {
      const clusterAddOn = { ...(settled.clusterAddOn ?? addOn('hello')), status };
      const decision = pass({ ...settled, works: restarting, clusterAddOn }, { at: T0 + 2_000 });
      expect(conditionText(decision, 'Available')).toContain('False ProbeUnavailable');
      expect(conditionText(decision, 'Progressing')).toContain('False Succeed');
    }
  });

  describe('the time of Progressing is the end of the last move', () => {
    const status = settled.clusterAddOn?.status ?? {};
    const [reference = { resource: 'addontemplates', name: 'hello' }] = status.configReferences ?? [];
    const old = { name: 'hello', specHash: 'old' };
    const removed = { resource: 'addondeploymentconfigs', namespace: 'hello', ...old, desiredConfig: old, lastAppliedConfig: old };
    const cases: { name: string; before: typeof status; moves: boolean }[] = [
      { name: 'other content', before: { configReferences: [{ ...reference, lastAppliedConfig: old }] }, moves: true },
      {
        name: 'another version',
        before: { installVersion: 'v0', currentVersion: 'v0', configReferences: [{ ...reference, ...old, lastAppliedConfig: old }] },
        moves: true,
      },
      { name: 'one config less', before: { configReferences: [reference, removed] }, moves: true },
      { name: 'a config that had no content before', before: { configReferences: [] }, moves: true },
      { name: 'the same content with another health mode', before: { healthCheck: { mode: 'Lease' } }, moves: false },
      { name: 'the same content on a hub without version fields', before: { currentVersion: undefined } as never, moves: false },
    ];
    it.each(cases)('if the hub reports the end of a move without its start: $name', ({ before, moves }) => {
      const clusterAddOn = { ...(settled.clusterAddOn ?? addOn('hello')), status: { ...status, ...before } };
      const next = { ...status, ...statusOf(pass({ ...settled, clusterAddOn }, { at: T0 + 60_000 })) };
      const progressing = next.conditions?.find(({ type }) => type === 'Progressing');
      expect(progressing).toMatchObject({ reason: 'Succeed', lastTransitionTime: moves ? '2026-01-01T00:01:00Z' : '2026-01-01T00:00:00Z' });
      const settledAgain = { ...settled, clusterAddOn: { ...clusterAddOn, status: next } };
      expect(briefly(pass(settledAgain, { at: T0 + 120_000 }))).toEqual([]);
    });
  });

  it('an earlier failure is cleared when the works are written again, before the cluster reports', () => {
    const failed = condition('ManifestApplied', 'False', 'ManifestWorkApplyFailed', 'failed to get manifest from agent interface: x');
    const written = after(freshHub(), pass(freshHub()));
    const hub = { ...written, clusterAddOn: addOn('hello', { status: { ...written.clusterAddOn?.status, conditions: [failed] } }) };
    expect(statusOf(pass(hub)).conditions?.map(({ type }) => type)).not.toContain('ManifestApplied');
  });

  describe('a missing template is reported by all three conditions, and the running content stays', () => {
    const message = 'template gone does not exist';
    const says = (decision: ReturnType<typeof pass>): (string | undefined)[] =>
      ['Configured', 'Progressing', 'ManifestApplied'].map((type) => conditionText(decision, type));
    const want = [
      'False ConfigurationNotFound: Configuration addontemplates/gone is not found',
      `False Failed: ${message}`,
      `False ManifestWorkApplyFailed: failed to get manifest from agent interface: ${message}`,
    ];
    const configs = [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', name: 'gone' }];

    it('named by a person', () => {
      const settled = settledHub();
      const decision = pass({
        ...settled,
        clusterAddOn: addOn('hello', { spec: { configs }, status: settled.clusterAddOn?.status ?? {} }),
      });
      expect(says(decision)).toEqual(want);
      expect(briefly(decision)).toEqual([STATUS]);
      expect(says(pass(freshHub({ clusterAddOn: addOn('hello', { spec: { configs } }) })))).toEqual(want);
    });

    it('named by the declaration', () => {
      const hub = freshHub();
      const target = { ...hub.rollout?.status?.history?.[0], configs: configs.map((ref) => ({ ...ref, specHash: '' })) };
      const rollout = hub.rollout && { ...hub.rollout, status: { ...hub.rollout.status, history: [target] } };
      const decision = pass({ ...hub, rollout: rollout as Hub['rollout'] });
      expect(says(decision)).toEqual(want);
      expect(briefly(decision)).toEqual([STATUS]);
    });
  });

  it('an invalid registries annotation of the cluster is reported, and the running content stays', () => {
    const settled = settledHub();
    const annotations = { 'open-cluster-management.io/image-registries': '{"registries": [{"source": "a"}]}' };
    const cluster = settled.cluster && { ...settled.cluster, metadata: { ...settled.cluster.metadata, annotations } };
    const decision = pass({ ...settled, cluster });
    expect(briefly(decision)).toEqual([STATUS]);
    expect(conditionText(decision, 'Progressing')).toContain('open-cluster-management.io/image-registries of ManagedCluster c1');
  });

  it('a new add-on that is admitted at once never reports that it waits', () => {
    const waiting = freshHub({
      clusterAddOn: addOn('hello', { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } }),
      rollout: undefined,
    });
    expect(pass(waiting, { at: T0 + 100 })).toEqual({ stages: [], requeueAfterMs: 4900 });
    expect(conditionText(pass(waiting, { at: T0 + 5000 }), 'Configured')).toContain('False ConfigurationsNotConfigured');
  });

  it('a passing reason waits for the next patch, and is written alone after five seconds', () => {
    const installing = after(freshHub(), pass(freshHub()));
    const soon = pass(installing, { at: T0 + 100 });
    expect(soon.stages).toEqual([]);
    expect(soon.requeueAfterMs).toBe(4900);
    expect(conditionText(pass(installing, { at: T0 + 5000 }), 'Available')).toBe(
      'Unknown WorkNotApplied: Addon manifestWork is not applied yet',
    );
  });

  it('AT-33 a dependency that flaps changes conditions at most once a second and writes no work', () => {
    const lacking = after(settled, pass({ ...settled, declarations: [missingDependency] }));
    const base = addOn('base', { status: { conditions: [condition('Available', 'True', 'ProbeAvailable')] } });
    const back = { ...lacking, declarations: [missingDependency], others: [base] };
    const soon = pass(back, { at: T0 + 300 });
    expect([soon.stages, soon.requeueAfterMs]).toEqual([[], 1700]);
    expect(briefly(pass(back, { at: T0 + 2000 }))).toEqual([STATUS]);
  });

  describe('Available changes because the health of the workload does', () => {
    const flips = [
      { from: 'True', to: 'False', reason: 'ProbeAvailable', sinceMs: 300, isDelayed: true },
      { from: 'False', to: 'True', reason: 'ProbeUnavailable', sinceMs: 300, isDelayed: true },
      { from: 'True', to: 'False', reason: 'ProbeAvailable', sinceMs: 2_000, isDelayed: false },
      { from: 'False', to: 'True', reason: 'ProbeUnavailable', sinceMs: 2_000, isDelayed: false },
      { from: 'Unknown', to: 'True', reason: 'NoProbeResult', sinceMs: 300, isDelayed: false },
    ] as const;
    it.each(flips)('from $from $sinceMs ms ago to $to: delayed $isDelayed', ({ from, to, reason, sinceMs, isDelayed }) => {
      const hub = settledHub();
      const conditions = (hub.clusterAddOn?.status?.conditions ?? []).map((old) =>
        old.type === 'Available' ? { ...old, status: from, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' } : old,
      );
      const clusterAddOn = { ...hub.clusterAddOn, status: { ...hub.clusterAddOn?.status, conditions } } as Hub['clusterAddOn'];
      const works = to === 'True' ? hub.works : hub.works.map(down);
      const decision = pass({ ...hub, clusterAddOn, works }, { at: T0 + sinceMs });
      expect([briefly(decision), decision.requeueAfterMs]).toEqual(isDelayed ? [[], 2_000 - sinceMs] : [[STATUS], undefined]);
    });
  });

  describe('while an add-on leaves the default entry and the record does not list it elsewhere yet', () => {
    it('its content and its conditions stay, whatever becomes of the template', () => {
      expect(briefly(pass(leavingDefault(settled)))).toEqual([]);
      expect(briefly(pass(leavingDefault({ ...settled, templates: [template([deployment('other')])] })))).toEqual([]);
    });

    it('a dependency that is missing is reported', () => {
      const lacking = leavingDefault({ ...settled, declarations: [missingDependency] });
      expect(briefly(pass(lacking))).toEqual([STATUS]);
      expect(conditionText(pass(lacking), 'Degraded')).toContain('RequiredDependencyNotSatisfied');
      expect(conditionText(pass(lacking), 'Available')).toContain('RequiredDependencyNotSatisfied');
    });

    it('a workload that is not available any more is reported', () => {
      const decision = pass(leavingDefault({ ...settled, works: settled.works.map(down) }), { at: T0 + 60_000 });
      expect([briefly(decision), conditionText(decision, 'Available')]).toEqual([[STATUS], expect.stringContaining('False')]);
    });
  });

  describe('while the record is in a format of a later version', () => {
    const laterRecord = (hub: Hub): Hub => ({
      ...hub,
      rollout: { ...hub.rollout, status: { ...hub.rollout?.status, formatVersion: 9 } } as Hub['rollout'],
    });

    it('works, versions and references stay', () => {
      const decision = pass(laterRecord(settled));
      expect(briefly(decision)).toEqual([STATUS]);
      const { currentVersion, configReferences } = settled.clusterAddOn?.status ?? {};
      expect(after(settled, decision).clusterAddOn?.status).toMatchObject({ currentVersion, configReferences });
    });

    it('a dependency that is missing is reported', () => {
      const decision = pass(laterRecord({ ...settled, declarations: [missingDependency] }));
      expect(conditionText(decision, 'Degraded')).toContain('RequiredDependencyNotSatisfied');
      expect(conditionText(decision, 'Available')).toContain('False RequiredDependencyNotSatisfied');
    });

    it('a workload that is not available any more is reported', () => {
      const decision = pass(laterRecord({ ...settled, works: settled.works.map(down) }), { at: T0 + 60_000 });
      expect(conditionText(decision, 'Available')).toContain('False ProbeUnavailable');
    });
  });

  it('a status does not wait for a stored time that is ahead of the clock, which was stepped back', () => {
    const lacking = after(settled, pass({ ...settled, declarations: [missingDependency] }));
    const base = addOn('base', { status: { conditions: [condition('Available', 'True', 'ProbeAvailable')] } });
    const back = { ...lacking, declarations: [missingDependency], others: [base] };
    const installing = after(freshHub(), pass(freshHub()));
    const steppedBack = T0 - 600_000;
    expect([back, installing].map((hub) => briefly(pass(hub, { at: steppedBack })))).toEqual([[STATUS], [STATUS]]);
  });
});

/** The work of an add-on whose Deployment is not available any more, although it is rolled out. */
function down(work: Hub['works'][number]): Hub['works'][number] {
  const manifests = work.status?.resourceStatus?.manifests?.map((manifest) => ({
    ...manifest,
    statusFeedback: {
      values: manifest.statusFeedback?.values?.map((value) =>
        value.name === 'AvailableCondition' ? { ...value, fieldValue: { type: 'String', string: 'False' } } : value,
      ),
    },
  }));
  return { ...work, status: { ...work.status, resourceStatus: { manifests } } } as Hub['works'][number];
}

function selfManaged(): Hub['declarations'][number] {
  const own = declaration('hello');
  return { ...own, metadata: { ...own.metadata, annotations: { 'addon.open-cluster-management.io/lifecycle': 'self' } } };
}

function unreachable({ cluster }: Hub): NonNullable<Hub['cluster']> {
  const message = 'Registration agent stopped updating its lease.';
  const unknown = condition('ManagedClusterConditionAvailable', 'Unknown', 'ManagedClusterLeaseUpdateStopped', message);
  return { ...(cluster as NonNullable<Hub['cluster']>), status: { conditions: [unknown] } };
}

function empty(): object {
  return { revision: 1, version: '', digest: 'd', renderer: 1, configs: [], targetedAt: '2025-12-31T00:00:00Z' };
}

function withoutOwner({ clusterAddOn: found }: Hub): Hub['clusterAddOn'] {
  return found && { ...found, metadata: { ...found.metadata, ownerReferences: [] } };
}

function deleting<T extends { readonly metadata: object }>(object: T): T {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}
