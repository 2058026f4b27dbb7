import type { AddOnTemplate, ManagedClusterAddOn, RoleBinding } from '@outrigger/api';
import type { JsonObject, KubeObject } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import { describe, expect, it } from 'vitest';
import type { ConfigProblem } from '@outrigger/rules/configuration';
import {
  type Hub,
  addOn,
  admitted,
  after,
  briefly,
  condition,
  declaration,
  deployment,
  freshHub,
  pass,
  settledHub,
  statusOf,
  template,
  conditionText,
} from './fixtures.js';

const GROUP = 'addon.open-cluster-management.io';
const STATUS = 'patch ManagedClusterAddOn/status c1/hello';

const config = (name: string, spec: object = {}): KubeObject & { spec: object } => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'AddOnDeploymentConfig',
  metadata: { name, namespace: 'c1', generation: 1 },
  spec,
});
const refersTo = (...configs: NonNullable<ManagedClusterAddOn['spec']['configs']>): ManagedClusterAddOn =>
  addOn('hello', { spec: { configs } });
const toConfig = (name: string): NonNullable<ManagedClusterAddOn['spec']['configs']>[number] => ({
  group: GROUP,
  resource: 'addondeploymentconfigs',
  namespace: 'c1',
  name,
});
const widget = { group: 'example.com', resource: 'widgets', name: 'w' };
const supporting = (...kinds: { group: string; resource: string }[]): Hub['declarations'] => [
  declaration('hello', {
    supportedConfigs: [{ group: GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello' } }, ...kinds],
  }),
];
const knowing = (known: ConfigProblem | { specHash: string; generation: number }): Hub['otherConfigs'] => ({ get: () => known });

const renderedElsewhere: Partial<Hub> = { declarations: [declaration('hello')], templates: [], rollout: admitted([], '') };
const everywhere = (entry: object): Hub['declarations'] => [
  declaration('hello', {
    supportedConfigs: [{ group: GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello' } }],
    installStrategy: { type: 'ClusterLabelSelector', labelSelector: {}, ...entry },
  }),
];
const madeByInstaller = addOn('hello', { metadata: { annotations: { 'outrigger.dev/installed-spec': 'x' } } });
/** The rollout of an add-on with a label-selector strategy, with a wildcard admission to a template. */
function admittedTo(object: AddOnTemplate): Hub['rollout'] {
  const { status, ...rollout } = admitted([{ resource: 'addontemplates', object }]);
  return { ...rollout, status: { ...status, entries: (status?.entries ?? []).map((entry) => ({ ...entry, name: 'labelSelector' })) } };
}

describe('add-on: configuration', () => {
  const cases: { name: string; hub: Hub; want: string | undefined }[] = [
    {
      name: 'a configuration that exists',
      hub: freshHub({ clusterAddOn: refersTo(toConfig('mine')), configs: [config('mine')] }),
      want: 'True ConfigurationsConfigured: Configurations configured',
    },
    {
      name: 'one that is not',
      hub: freshHub({ clusterAddOn: refersTo(toConfig('mine')) }),
      want: 'False ConfigurationNotFound: Configuration addondeploymentconfigs/c1/mine is not found',
    },
    {
      name: 'a kind the add-on does not support',
      hub: freshHub({ clusterAddOn: refersTo(widget) }),
      want: 'False ConfigurationUnsupported: Configuration with gvr example.com/widgets is not supported for this addon: widgets/w',
    },
    {
      name: 'deployment configs, if another manager renders the add-on and does not name them',
      hub: freshHub({ clusterAddOn: refersTo(toConfig('mine')), configs: [config('mine')], ...renderedElsewhere }),
      want: `False ConfigurationUnsupported: Configuration with gvr ${GROUP}/addondeploymentconfigs is not supported for this addon: addondeploymentconfigs/c1/mine`,
    },
    {
      name: 'a kind that the add-on does not support, if its entry references it',
      hub: freshHub({ clusterAddOn: madeByInstaller, declarations: everywhere({ configs: [widget] }), rollout: admittedTo(template()) }),
      want: 'False ConfigurationUnsupported: Configuration with gvr example.com/widgets is not supported for this addon: widgets/w',
    },
    {
      name: 'the same reference in the entry’s template, for add-ons that the installer did not create',
      hub: freshHub({ declarations: everywhere({ addonTemplate: { configs: [widget] } }), rollout: admittedTo(template()) }),
      want: 'True ConfigurationsConfigured: Configurations configured',
    },
    {
      name: 'a kind it supports and the manager may not read',
      hub: freshHub({ clusterAddOn: refersTo(widget), declarations: supporting(widget), otherConfigs: knowing('Forbidden') }),
      want: 'False ConfigurationForbidden: Configuration widgets/w may not be read by the manager; aggregate the right into the ClusterRole outrigger:config-reader',
    },
    {
      name: 'a kind that is not served yet',
      hub: freshHub({ clusterAddOn: refersTo(widget), declarations: supporting(widget), otherConfigs: knowing('NotServed') }),
      want: 'False ConfigurationNotFound: Configuration widgets/w is not found',
    },
    {
      name: 'a config that was not read yet changes nothing',
      hub: freshHub({ clusterAddOn: refersTo(widget), declarations: supporting(widget), otherConfigs: knowing('Unread') }),
      want: undefined,
    },
  ];
  it.each(cases)('$name', ({ hub, want }) => expect(conditionText(pass(hub), 'Configured')).toBe(want));

  it('an unsupported reference is shown without a digest, and does not keep the add-on from arriving', () => {
    const settled = settledHub({ clusterAddOn: refersTo(widget) });
    const references = settled.clusterAddOn?.status?.configReferences ?? [];
    expect(references.map(({ resource, desiredConfig }) => `${resource} ${desiredConfig?.specHash === '' ? 'empty' : 'pinned'}`)).toEqual([
      'addontemplates pinned',
      'widgets empty',
    ]);
    expect(settled.clusterAddOn?.status?.conditions?.find(({ type }) => type === 'Progressing')?.reason).toBe('Succeed');
    expect(JSON.stringify(settled.works)).not.toContain('widgets');
  });

  it.each([
    {
      name: 'a kind that another manager publishes counts as supported',
      hub: renderedElsewhere,
      want: 'True ConfigurationsConfigured: Configurations configured',
    },
    {
      name: 'the hub does not read back the references that it wrote to the status of a template add-on',
      hub: {},
      want: 'False ConfigurationUnsupported: Configuration with gvr example.com/widgets is not supported for this addon: widgets/w',
    },
  ])('$name', ({ hub, want }) => {
    const published = addOn('hello', {
      spec: { configs: [widget] },
      status: { supportedConfigs: [{ group: 'example.com', resource: 'widgets' }] },
    });
    expect(
      conditionText(
        pass(freshHub({ clusterAddOn: published, otherConfigs: knowing({ specHash: 'h', generation: 3 }), ...hub })),
        'Configured',
      ),
    ).toBe(want);
  });

  it.each<{ name: string; problem: ConfigProblem; want: string }>([
    {
      name: 'is not there',
      problem: 'NotFound',
      want: 'configuration widgets/w does not exist; create it, or correct the reference in spec.configs',
    },
    {
      name: 'is named without its namespace',
      problem: 'NoNamespace',
      want: 'configuration widgets/w is of a namespaced kind; add a namespace to the reference in spec.configs',
    },
    {
      name: 'is of a kind that is not served',
      problem: 'NotServed',
      want: 'configuration widgets/w cannot be read: the API server does not serve example.com/widgets; install its CustomResourceDefinition',
    },
    {
      name: 'may not be read',
      problem: 'Forbidden',
      want: 'Configuration widgets/w may not be read by the manager; aggregate the right into the ClusterRole outrigger:config-reader',
    },
  ])('a fresh install whose configuration $name has failed, and continues when it can', ({ problem, want }) => {
    const hub = freshHub({ clusterAddOn: refersTo(widget), declarations: supporting(widget), otherConfigs: knowing(problem) });
    const decision = pass(hub);
    expect(conditionText(decision, 'Progressing')).toBe(`False Failed: ${want}`);
    expect(briefly(decision)).toEqual([STATUS]);
    const later = pass({ ...after(hub, decision), otherConfigs: knowing({ specHash: 'h', generation: 1 }) });
    expect(conditionText(later, 'Progressing')).toBe('True Installing: Installing addon version v1.');
  });

  it('a problem in the declaration names the field to correct', () => {
    const rollout = admitted([
      { resource: 'addondeploymentconfigs', object: config('theirs') },
      { resource: 'addontemplates', object: template() },
    ]);
    const empty = rollout.status?.history?.map((target) => ({
      ...target,
      configs: target.configs?.map((ref) => (ref.resource === 'addondeploymentconfigs' ? { ...ref, specHash: '' } : ref)) ?? [],
    }));
    const decision = pass(freshHub({ rollout: { ...rollout, status: { ...rollout.status, history: empty ?? [] } } }));
    expect(conditionText(decision, 'Progressing')).toBe(
      'False Failed: configuration addondeploymentconfigs/c1/theirs does not exist; create it, or correct the reference in ClusterManagementAddOn',
    );
  });

  it('an empty version counts as absent: the add-on follows the fleet', () => {
    const decision = pass(freshHub({ clusterAddOn: addOn('hello', { spec: { installVersion: '' } }) }));
    expect(conditionText(decision, 'Progressing')).toBe('True Installing: Installing addon version v1.');
  });

  it('a missing config of a person holds the works back; the fleet’s config is not used instead', () => {
    expect(briefly(pass(freshHub({ clusterAddOn: refersTo(toConfig('mine')) })))).toEqual([STATUS]);
  });

  it('a config of another group is named by its digest, and its content is not stored', () => {
    const hub = freshHub({
      clusterAddOn: refersTo(widget),
      declarations: supporting(widget),
      otherConfigs: knowing({ specHash: 'h', generation: 3 }),
    });
    const decision = pass(hub);
    expect(briefly(decision)).toEqual(['create ManifestWork c1/addon-hello-deploy-0', ';', STATUS]);
    expect(statusOf(decision).configReferences?.[1]).toEqual({
      ...widget,
      lastObservedGeneration: 3,
      desiredConfig: { name: 'w', specHash: 'h' },
    });
  });

  it('a person’s own configuration is stored before the status names it, and is used after it is deleted', () => {
    const mine = config('mine', { agentInstallNamespace: 'elsewhere' });
    const hub = freshHub({ clusterAddOn: refersTo(toConfig('mine')), configs: [mine] });
    const decision = pass(hub);
    expect(briefly(decision).slice(0, 2)).toEqual([
      `create ControllerRevision default/outrigger-content-${specHash(mine).slice(0, 40)}`,
      'create ManifestWork c1/addon-hello-deploy-0',
    ]);
    const installed = settledHub({ clusterAddOn: refersTo(toConfig('mine')), configs: [mine] });
    const gone = { ...installed, configs: [] };
    expect(conditionText(pass(gone), 'Configured')).toContain('False ConfigurationNotFound');
    const lost = pass({ ...gone, works: [] });
    expect(JSON.stringify(after({ ...gone, works: [] }, lost).works)).toContain('"namespace":"elsewhere"');
  });
});

describe('add-on: an object that a user references and that is deleted while in use', () => {
  const found = knowing({ specHash: 'h', generation: 3 });
  const other = template([deployment('other')]);
  const named = { ...other, metadata: { ...other.metadata, name: 'other', labels: { 'open-cluster-management.io/addon-version': 'v2' } } };
  const toOther = { group: GROUP, resource: 'addontemplates', name: 'other' };
  const newVersion = template([deployment('new')]);
  const cases: readonly { readonly name: string; readonly hub: Hub; readonly gone: Partial<Hub>; readonly missing: string }[] = [
    {
      name: 'a config of another kind, of which only the digest is known',
      hub: settledHub({ clusterAddOn: refersTo(widget), declarations: supporting(widget), otherConfigs: found }),
      gone: { otherConfigs: knowing('NotFound') },
      missing: 'NotFound: Configuration widgets/w is not found',
    },
    {
      name: 'a config that the manager may not read any more',
      hub: settledHub({ clusterAddOn: refersTo(widget), declarations: supporting(widget), otherConfigs: found }),
      gone: { otherConfigs: knowing('Forbidden') },
      missing:
        'Forbidden: Configuration widgets/w may not be read by the manager; aggregate the right into the ClusterRole outrigger:config-reader',
    },
    {
      name: 'a template',
      hub: settledHub({ clusterAddOn: refersTo(toOther), templates: [template(), named] }),
      gone: { templates: [template()] },
      missing: 'NotFound: Configuration addontemplates/other is not found',
    },
    {
      name: 'a template, beside its version',
      hub: settledHub({
        clusterAddOn: addOn('hello', { spec: { installVersion: 'v2', configs: [toOther] } }),
        templates: [template(), named],
      }),
      gone: { templates: [template()] },
      missing: 'NotFound: Configuration addontemplates/other is not found',
    },
  ];

  it.each(cases)('$name: is reported in Configured, and what runs stays', ({ hub, gone, missing }) => {
    const without = { ...hub, ...gone };
    const decision = pass(without);
    expect(briefly(decision)).toEqual([STATUS]);
    expect(conditionText(decision, 'Configured')).toBe(`False Configuration${missing}`);
    expect(conditionText(decision, 'Progressing')).toBe('False Succeed: install completed with no errors.');
    expect(hub.clusterAddOn?.status?.configReferences).toEqual(after(without, decision).clusterAddOn?.status?.configReferences);
  });

  it('does not hold up the next version', () => {
    const hub = settledHub({ clusterAddOn: refersTo(widget), declarations: supporting(widget), otherConfigs: found });
    const next = {
      otherConfigs: knowing('NotFound'),
      templates: [newVersion],
      rollout: admitted([{ resource: 'addontemplates', object: newVersion }]),
    };
    const moved = settledHub({ ...hub, ...next });
    expect(JSON.stringify(moved.works)).toContain('"name":"new"');
    expect(moved.clusterAddOn?.status?.configReferences?.map(({ lastAppliedConfig }) => lastAppliedConfig?.specHash)).toEqual([
      specHash(newVersion),
      'h',
    ]);
  });

  it('is used with the content that runs, also if other content was stored for it since', () => {
    const mine = config('mine', { agentInstallNamespace: 'first' });
    const own = { clusterAddOn: refersTo(toConfig('mine')), configs: [mine] };
    const hub = settledHub(own);
    const [content] = hub.contents;
    const later = {
      ...content,
      metadata: { ...content?.metadata, name: 'later', creationTimestamp: '2026-01-01T00:00:00Z' },
    } as KubeObject;
    const annotations = { ...later.metadata.annotations, 'outrigger.dev/content': 'other' };
    const contents = [...hub.contents, { ...later, metadata: { ...later.metadata, annotations } }];
    expect(briefly(pass({ ...hub, contents, configs: [] }))).toEqual([STATUS]);
  });

  it('a template that another add-on or another cluster used is no content of this one', () => {
    const hub = settledHub({ clusterAddOn: refersTo(toOther), templates: [template(), named] });
    const fresh = pass(freshHub({ clusterAddOn: refersTo(toOther), contents: hub.contents }));
    expect(conditionText(fresh, 'Progressing')).toBe('False Failed: template other does not exist');
    expect(briefly(fresh)).toEqual([STATUS]);
  });

  it('a version that the user names beside the template must still agree with it', () => {
    const hub = settledHub({ clusterAddOn: refersTo(toOther), templates: [template(), named] });
    const clusterAddOn = hub.clusterAddOn && { ...hub.clusterAddOn, spec: { installVersion: 'v1', configs: [toOther] } };
    const decision = pass({ ...hub, templates: [template()], ...(clusterAddOn ? { clusterAddOn } : {}) });
    expect(conditionText(decision, 'Progressing')).toBe('False Failed: installVersion v1 and template other (version v2) disagree');
  });
});

describe('add-on: references of a user beside a version or template that cannot be used', () => {
  const hello = { group: GROUP, resource: 'addontemplates', name: 'hello' };
  const specs: readonly { readonly name: string; readonly spec: ManagedClusterAddOn['spec'] }[] = [
    { name: 'a version that is not offered', spec: { installVersion: 'v9', configs: [toConfig('mine'), widget] } },
    { name: 'a version that disagrees', spec: { installVersion: 'v9', configs: [hello, toConfig('mine'), widget] } },
    { name: 'a template that is not there', spec: { configs: [{ ...hello, name: 'gone' }, toConfig('mine'), widget] } },
  ];
  it.each(specs)('$name: Configured reports them, on a fresh install and over one', ({ spec }) => {
    const running = settledHub();
    for (const hub of [freshHub(), running]) {
      let edited: Hub = {
        ...hub,
        clusterAddOn: addOn('hello', { spec, ...(hub.clusterAddOn?.status ? { status: hub.clusterAddOn.status } : {}) }),
      };
      for (let round = 0; round < 3; round++) {
        const decision = pass(edited);
        edited = after(edited, decision);
      }
      const configured = edited.clusterAddOn?.status?.conditions?.find(({ type }) => type === 'Configured');
      expect(configured?.status).toBe('False');
      expect(configured?.message).toContain('addondeploymentconfigs/c1/mine');
      expect(configured?.message).toContain('widgets/w');
      expect(edited.works).toEqual(hub.works);
    }
  });
});

describe('add-on: content that another declaration has stored', () => {
  const mine = config('mine', { agentInstallNamespace: 'elsewhere' });
  const own = { clusterAddOn: refersTo(toConfig('mine')), configs: [mine] };
  const settled = settledHub(own);
  const other = { apiVersion: `${GROUP}/v1alpha1`, kind: 'ClusterManagementAddOn', name: 'other', uid: 'uid-other' };
  const ownedBy = (...owners: readonly object[]): readonly KubeObject[] =>
    settled.contents.map((content) => ({ ...content, metadata: { ...content.metadata, ownerReferences: owners } }) as KubeObject);
  const [declared] = settled.contents.flatMap(({ metadata }) => metadata.ownerReferences ?? []);

  it('gets this declaration as an owner too, after the declaration was found to exist', () => {
    const decision = pass({ ...settled, contents: ownedBy(other) });
    expect(briefly(decision).slice(0, 3)).toEqual([
      'effect declaration-stands declaration-stands',
      ';',
      `patch ControllerRevision default/outrigger-content-${specHash(mine).slice(0, 40)}`,
    ]);
    const patch = decision.stages.flat().find((action) => action.type === 'patch');
    expect(patch?.patch['metadata']).toEqual({ ownerReferences: [other, declared] });
  });

  it('is not written again if this declaration owns it', () => {
    expect(declared).toMatchObject({ kind: 'ClusterManagementAddOn', name: 'hello' });
    expect(briefly(pass({ ...settled, contents: ownedBy(other, declared ?? {}) }))).toEqual([]);
  });
});

describe('add-on: several configurations of one kind', () => {
  const configs = [config('a', { agentInstallNamespace: 'from-a' }), config('b', { agentInstallNamespace: 'from-b' })];
  const both = (...names: string[]): ManagedClusterAddOn['spec'] => ({ configs: names.map(toConfig) });
  const shown = ({ clusterAddOn: found }: Hub): string[] => (found?.status?.configReferences ?? []).map(({ name }) => name);
  const configured = ({ clusterAddOn: found }: Hub): string | undefined =>
    found?.status?.conditions?.find(({ type }) => type === 'Configured')?.message;

  it.each([
    { name: 'in the order of the spec', names: ['a', 'b'], first: 'a', other: 'b' },
    { name: 'in the other order', names: ['b', 'a'], first: 'b', other: 'a' },
  ])('$name the first counts, all are listed, and Configured names the other', ({ names, first, other }) => {
    const hub = settledHub({ clusterAddOn: addOn('hello', { spec: both(...names) }), configs });
    expect(shown(hub).filter((name) => name !== 'hello')).toEqual(names);
    expect(JSON.stringify(hub.works)).toContain(`"namespace":"from-${first}"`);
    expect(JSON.stringify(hub.works)).not.toContain(`"namespace":"from-${other}"`);
    expect(configured(hub)).toBe(`Configurations configured; the first of a kind counts, not used: addondeploymentconfigs/c1/${other}`);
  });

  it('a cluster that arrives from another revision has the same result', () => {
    const direct = settledHub({ clusterAddOn: addOn('hello', { spec: both('b', 'a') }), configs });
    const reordered = settledHub({ clusterAddOn: addOn('hello', { spec: both('a', 'b') }), configs });
    const one = settledHub({ clusterAddOn: addOn('hello', { spec: both('a') }), configs });
    for (const start of [reordered, one]) {
      const edited = settledHub({ ...start, clusterAddOn: start.clusterAddOn && { ...start.clusterAddOn, spec: both('b', 'a') } });
      expect(shown(edited)).toEqual(shown(direct));
      expect(edited.works.map(({ spec }) => spec)).toEqual(direct.works.map(({ spec }) => spec));
    }
  });
});

describe('add-on: hub permissions', () => {
  const permissions = (...hubPermissions: object[]): AddOnTemplate =>
    template([deployment()], { registration: [{ type: 'KubeClient', kubeClient: { hubPermissions } }] as never });
  const subjectsOf = (hub: Hub): string[] =>
    after(hub, pass(hub)).bindings.map(
      ({ metadata, roleRef, subjects = [] }) =>
        `${metadata.namespace ?? ''}: ${roleRef.kind} ${roleRef.name} to ${subjects.map(({ name }) => name).join(', ')}`,
    );
  const group = 'system:open-cluster-management:cluster:c1:addon:hello';

  it.each([
    ['the seed’s shape, here', { type: 'CurrentCluster', roleRef: { kind: 'ClusterRole', name: 'r' } }, `c1: ClusterRole r to ${group}`],
    ['upstream’s shape, here', { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'r' } }, `c1: ClusterRole r to ${group}`],
    [
      'the seed’s shape, elsewhere',
      { type: 'SingleNamespace', roleRef: { kind: 'Role', name: 'r' }, singleNamespace: { namespace: 'n' } },
      `n: Role r to ${group}`,
    ],
    [
      'upstream’s shape, elsewhere',
      { type: 'SingleNamespace', singleNamespace: { namespace: 'n', roleRef: { kind: 'ClusterRole', name: 'r' } } },
      `n: ClusterRole r to ${group}`,
    ],
  ])('%s', (_, permission, want) => expect(subjectsOf(freshHub({ templates: [permissions(permission)] }))).toEqual([want]));

  const two = [
    { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'a' } },
    { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'b' } },
  ];
  it('two roles are two bindings', () => expect(subjectsOf(freshHub({ templates: [permissions(...two)] }))).toHaveLength(2));

  const settled = settledHub({ templates: [permissions(two[0] as object)] });
  const bound = settled.bindings[0] as RoleBinding;
  const upstream: RoleBinding = {
    ...bound,
    metadata: {
      name: 'open-cluster-management:hello:clusterrole:agent',
      namespace: 'c1',
      labels: { 'open-cluster-management.io/addon-name': 'hello', 'open-cluster-management.io/addon-template-name': '' },
    },
  };
  const cases: { name: string; hub: Hub; want: string[] }[] = [
    { name: 'a settled add-on causes no action', hub: settled, want: [] },
    {
      name: 'subjects that another client added are removed',
      hub: { ...settled, bindings: [{ ...bound, subjects: [...(bound.subjects ?? []), { kind: 'User', name: 'me' }] }] },
      want: [`patch RoleBinding c1/${bound.metadata.name ?? ''}`],
    },
    {
      name: 'upstream’s binding is deleted once ours exists',
      hub: { ...settled, bindings: [bound, upstream] },
      want: [`delete RoleBinding c1/${upstream.metadata.name ?? ''}`],
    },
    {
      name: 'AT-17 a binding that only carries our labels is left alone',
      hub: { ...settled, bindings: [bound, { ...bound, metadata: { ...bound.metadata, name: 'a-tenants' } }] },
      want: [],
    },
    {
      name: 'bindings of a deleted add-on in another namespace are deleted',
      hub: {
        ...settled,
        clusterAddOn: undefined,
        bindings: [{ ...bound, metadata: { ...bound.metadata, namespace: 'n', ownerReferences: [] } }],
      },
      want: [`delete RoleBinding n/${bound.metadata.name ?? ''}`],
    },
    { name: 'objects with an owner reference are left to the garbage collector', hub: { ...settled, clusterAddOn: undefined }, want: [] },
  ];
  it.each(cases)('$name', ({ hub, want }) => expect(briefly(pass(hub))).toEqual(want));

  it('a certificate request that cannot be signed becomes a condition, which a restart does not take back while the request is open', () => {
    const problem = 'certificate request addon-c1-hello-x could not be signed: no right; to allow it: kubectl …';
    const want = `False SetPermissionFailed: Failed to set permission for hub agent: ${problem}`;
    const first = pass(settled, { requestProblems: [problem] });
    expect(conditionText(first, 'RegistrationApplied')).toBe(want);
    const failed = after(settled, first);
    const request = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: {
        name: 'addon-c1-hello-x',
        labels: { 'open-cluster-management.io/cluster-name': 'c1', 'open-cluster-management.io/addon-name': 'hello' },
      },
      spec: { request: '', signerName: 'example.com/x', usages: [] },
    };
    expect(pass({ ...failed, requests: [request] })).toMatchObject({ stages: [] });
    expect(conditionText(pass(failed), 'RegistrationApplied')).toMatch(/^True SetPermissionApplied/);
  });

  it.each([
    [3, 'not held: {0} {1} {2}. An'],
    [5, 'not held: {0} {1} {2} and 2 more. An'],
  ])('the condition repeats at most three of the %i rules that a refusal lists', (count, text) => {
    const id = `binding/c1/${bound.metadata.name ?? ''}`;
    const message = ['not held:', ...Array.from({ length: count }, (_, i) => `{${i}}`)].join('\n');
    const refused = pass({ ...settled, bindings: [] }, { refusals: [{ id, reason: 'Forbidden', message }] });
    expect(conditionText(refused, 'RegistrationApplied')).toContain(text);
  });

  it('a refusal becomes a condition with the command that grants the role', () => {
    const id = `binding/c1/${bound.metadata.name ?? ''}`;
    const refusals = [{ id, reason: 'Forbidden', message: 'attempting to grant extra privileges' }] as const;
    expect(conditionText(pass({ ...settled, bindings: [] }, { refusals }), 'RegistrationApplied')).toBe(
      'False SetPermissionFailed: Failed to set permission for hub agent: ClusterRole a in c1: attempting to grant extra privileges. An administrator can allow it: kubectl create clusterrole outrigger-bind-a --verb=bind --resource=clusterroles.rbac.authorization.k8s.io --resource-name=a && kubectl label clusterrole outrigger-bind-a outrigger.dev/aggregate-to-bindable-roles=true',
    );
  });

  it('a refusal is in the past once the binding is as wanted, also if the response to its creation was lost', () => {
    const id = `binding/c1/${bound.metadata.name ?? ''}`;
    const refusals = [{ id, reason: 'Forbidden', message: 'attempting to grant extra privileges' }] as const;
    expect(briefly(pass(settled, { refusals }))).toEqual([]);
  });
});

describe('add-on: token infrastructure', () => {
  const signIn = [{ type: 'KubeClient' }] as const;
  const templated = (registration: NonNullable<AddOnTemplate['spec']['registration']>): Partial<Hub> => ({
    templates: [template([deployment()], { registration })],
  });
  const published = [{ signerName: 'kubernetes.io/kube-apiserver-client' }];
  const asking = (status: NonNullable<ManagedClusterAddOn['status']>): Partial<Hub> => ({ clusterAddOn: addOn('hello', { status }) });
  const OBJECTS = ['ServiceAccount c1/hello-agent', 'Role c1/hello-token-role', 'RoleBinding c1/hello-token-role'];
  const ROLE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'hello-token-role' };
  const written = (hub: Hub): string[] => briefly(pass(hub)).filter((text) => OBJECTS.some((object) => text.endsWith(object)));
  const created = OBJECTS.map((object) => `create ${object}`);
  const afterTwo = (hub: Hub): Hub => {
    const first = after(hub, pass(hub));
    return after(first, pass(first));
  };

  it.each<{ name: string; hub: Hub; want: string[] }>([
    {
      name: 'of a template that asks for it',
      hub: freshHub({ ...templated(signIn), ...asking({ kubeClientDriver: 'token' }) }),
      want: created,
    },
    {
      name: 'of an add-on that another manager renders and whose registrations ask for it',
      hub: freshHub({ ...renderedElsewhere, ...asking({ kubeClientDriver: 'token', registrations: published }) }),
      want: created,
    },
    {
      name: 'not with certificates',
      hub: freshHub({ ...renderedElsewhere, ...asking({ kubeClientDriver: 'csr', registrations: published }) }),
      want: [],
    },
    { name: 'not without a registration', hub: freshHub({ ...renderedElsewhere, ...asking({ kubeClientDriver: 'token' }) }), want: [] },
    {
      name: 'not for another signer',
      hub: freshHub({ ...renderedElsewhere, ...asking({ kubeClientDriver: 'token', registrations: [{ signerName: 'x.io/y' }] }) }),
      want: [],
    },
  ])('$name: the account first, and then the right to its tokens', ({ hub, want }) => {
    expect(written(hub)).toEqual(want.slice(0, 1));
    expect(written(after(hub, pass(hub)))).toEqual(want.slice(1));
  });

  it('AT-49 the right to the tokens of an account is granted only while the account is the add-on’s', () => {
    const hub = freshHub({ ...templated(signIn), ...asking({ kubeClientDriver: 'token' }) });
    const ready = afterTwo(hub);
    expect(written(ready)).toEqual([]);
    const [account, ...grants] = ready.tokens;
    expect(written({ ...ready, tokens: grants }), 'the account was deleted').toEqual([
      'create ServiceAccount c1/hello-agent',
      'delete Role c1/hello-token-role',
      'delete RoleBinding c1/hello-token-role',
    ]);
    const create = pass(hub)
      .stages.flat()
      .find(({ id }) => id === 'token/serviceaccounts/hello-agent');
    expect(create, 'an account that was not created for the add-on is not adopted').toMatchObject({ type: 'create', adopt: 'owned' });
    const id = create?.id ?? '';
    const refused = pass(hub, { refusals: [{ id, reason: 'AlreadyExists', message: 'ServiceAccount c1/hello-agent stands in the way' }] });
    expect(briefly(refused).filter((text) => text.includes('Role c1') || text.includes('RoleBinding c1/hello-token'))).toEqual([]);
    expect(conditionText(refused, 'TokenInfrastructureReady')).toBe(
      'False TokenInfrastructureApplyFailed: ServiceAccount c1/hello-agent stands in the way',
    );
    const earlier = { apiVersion: 'v1', kind: 'ManagedClusterAddOn', name: 'hello', uid: 'uid-of-an-earlier-add-on' };
    const inherited = { ...account, metadata: { ...account?.metadata, ownerReferences: [earlier] } } as KubeObject;
    expect(written({ ...ready, tokens: [inherited, ...grants] }), 'tokens of an earlier add-on of this name').toEqual(
      OBJECTS.map((object) => `delete ${object}`),
    );
  });

  it.each<{ name: string; hub: Partial<Hub>; registrations?: typeof published; version?: string }>([
    { name: 'a template add-on', hub: templated(signIn) },
    { name: 'an add-on of another manager', hub: renderedElsewhere, registrations: published },
    { name: 'an add-on whose requested version does not exist', hub: templated(signIn), version: 'v9' },
  ])('AT-07 $name on a cluster that is denied: the account ends, and with it every token, however long it lasts', (given) => {
    const { hub, registrations, version } = given;
    const status = { kubeClientDriver: 'token' as const, ...(registrations ? { registrations } : {}) };
    const ready = afterTwo(freshHub({ ...hub, ...asking(status) }));
    expect(written(ready)).toEqual([]);
    const { clusterAddOn, cluster } = ready;
    const asked = clusterAddOn && (version === undefined ? clusterAddOn : { ...clusterAddOn, spec: { installVersion: version } });
    const denied = { ...ready, clusterAddOn: asked, cluster: cluster && { ...cluster, spec: { hubAcceptsClient: false } } };
    expect(written(denied).sort()).toEqual(OBJECTS.map((object) => `delete ${object}`).sort());
    const ended = after(denied, pass(denied));
    expect(written(ended)).toEqual([]);
    expect(written({ ...ended, clusterAddOn, cluster }), 'the cluster is accepted again').toEqual(created.slice(0, 1));
  });

  it.each<{ name: string; index: number; change: JsonObject; want: string }>([
    { name: 'other rules', index: 1, change: { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] }, want: 'patch' },
    { name: 'no rules', index: 1, change: { rules: null }, want: 'patch' },
    { name: 'other subjects', index: 2, change: { subjects: [{ kind: 'User', name: 'other' }] }, want: 'patch' },
    { name: 'no subjects', index: 2, change: { subjects: null }, want: 'patch' },
    { name: 'another role', index: 2, change: { roleRef: { ...ROLE, name: 'other' } }, want: 'delete' },
    { name: 'a ClusterRole of that name', index: 2, change: { roleRef: { ...ROLE, kind: 'ClusterRole' } }, want: 'delete' },
    {
      name: 'another role and other subjects',
      index: 2,
      change: { roleRef: { ...ROLE, name: 'other' }, subjects: null },
      want: 'delete',
    },
  ])('corrects an object with $name; replaces a binding, if its role differs', ({ index, change, want }) => {
    const ready = afterTwo(freshHub({ ...templated(signIn), ...asking({ kubeClientDriver: 'token' }) }));
    const tokens = ready.tokens.map((object, at) => (at === index ? { ...object, ...change } : object));
    const changed = { ...ready, tokens };
    const object = OBJECTS[index] ?? '';
    expect(written(changed)).toEqual([`${want} ${object}`]);
    if (want === 'delete') expect(written(after(changed, pass(changed)))).toEqual([`create ${object}`]);
  });

  it.each<{ name: string; hub: Partial<Hub>; registrations?: typeof published }>([
    { name: 'a template add-on', hub: templated(signIn) },
    { name: 'another manager’s', hub: renderedElsewhere, registrations: published },
  ])('$name: the condition carries the account’s UID, and all of it is deleted with the driver', ({ hub, registrations }) => {
    const status = { kubeClientDriver: 'token' as const, ...(registrations ? { registrations } : {}) };
    const ready = afterTwo(freshHub({ ...hub, ...asking(status) }));
    const withUids = {
      ...ready,
      tokens: ready.tokens.map((object) => ({ ...object, metadata: { ...object.metadata, uid: `uid-${object.kind}` } })),
    };
    const second = pass(withUids);
    expect(conditionText(second, 'TokenInfrastructureReady')).toBe(
      'True TokenInfrastructureReady: ServiceAccount c1/hello-agent (UID: uid-ServiceAccount) is ready',
    );
    const settled = after(withUids, second);
    const switched = {
      ...settled,
      clusterAddOn: settled.clusterAddOn && {
        ...settled.clusterAddOn,
        status: { ...settled.clusterAddOn.status, kubeClientDriver: 'csr' as const },
      },
    };
    expect(written(switched as Hub).sort()).toEqual(OBJECTS.map((object) => `delete ${object}`).sort());
    expect(conditionText(pass(switched as Hub), 'TokenInfrastructureReady')).toBeUndefined();
    expect(statusOf(pass(switched as Hub)).conditions?.map(({ type }) => type)).not.toContain('TokenInfrastructureReady');
  });

  it('objects without an owner, as upstream creates them, stay as found, and are deleted when the add-on is gone', () => {
    const first = freshHub({ ...templated(signIn), ...asking({ kubeClientDriver: 'token' }) });
    const { tokens } = afterTwo(first);
    const found = tokens.map(({ metadata: { ownerReferences: _, ...metadata }, ...object }) => ({ ...object, metadata }));
    expect(written({ ...first, tokens: found })).toEqual([]);
    const gone = { ...first, clusterAddOn: undefined };
    expect(written({ ...gone, tokens: found }).sort()).toEqual(OBJECTS.map((object) => `delete ${object}`).sort());
    expect(written({ ...gone, tokens }), 'the garbage collector deletes owned objects').toEqual([]);
  });

  it.each<{ name: string; hub: Partial<Hub> }>([
    { name: 'with tokens', hub: asking({ kubeClientDriver: 'token' }) },
    { name: 'with certificates', hub: asking({ kubeClientDriver: 'csr' }) },
    { name: 'deleted', hub: { clusterAddOn: undefined } },
  ])('of an add-on $name: objects of other names with the same labels are another owner’s, and stay', ({ hub }) => {
    const { tokens } = afterTwo(freshHub({ ...templated(signIn), ...asking({ kubeClientDriver: 'token' }) }));
    const others = tokens.map(({ metadata: { ownerReferences: _, ...metadata }, ...object }) => ({
      ...object,
      metadata: { ...metadata, name: `${metadata.name}-2` },
    }));
    const decision = pass({ ...freshHub({ ...templated(signIn), ...hub }), tokens: others });
    expect(briefly(decision).filter((text) => text.endsWith('-2'))).toEqual([]);
  });

  it('a refusal is reported', () => {
    const hub = freshHub({ ...renderedElsewhere, ...asking({ kubeClientDriver: 'token', registrations: published }) });
    const id =
      pass(hub)
        .stages.flat()
        .find((action) => action.type === 'create' && action.kind.kind === 'ServiceAccount')?.id ?? '';
    const decision = pass(hub, { refusals: [{ id, reason: 'Forbidden', message: 'no right' }] });
    expect(conditionText(decision, 'TokenInfrastructureReady')).toMatch(
      /^False TokenInfrastructureApplyFailed: no right; .*: kubectl create rolebinding outrigger-tokens --namespace=\S+ --clusterrole=outrigger:token-registration /,
    );
    const complete = pass(afterTwo(hub), { refusals: [{ id, reason: 'Forbidden', message: 'no right' }] });
    expect(conditionText(complete, 'TokenInfrastructureReady'), 'the account exists').toMatch(/^True /);
  });
});

describe('add-on: conditions of agents about credentials', () => {
  const rotated = condition('ClusterCertificateRotated', 'True', 'ClientCertificateUpdated');
  const refreshed = condition('TokenRefreshed', 'True', 'AddonTokenRefreshed');
  const signer = { type: 'CustomSigner', customSigner: { signerName: 'x.io/y', signingCA: { name: 'ca' } } } as const;
  const kept = (registration: NonNullable<AddOnTemplate['spec']['registration']>, driver?: 'csr' | 'token'): string[] => {
    const status = { conditions: [rotated, refreshed], ...(driver ? { kubeClientDriver: driver } : {}) };
    const hub = freshHub({ templates: [template([deployment()], { registration })], clusterAddOn: addOn('hello', { status }) });
    const types = statusOf(pass(hub)).conditions?.map(({ type }) => type) ?? [];
    return types.filter((type) => type === rotated.type || type === refreshed.type);
  };

  it.each([
    { name: 'are removed with the last registration', registration: [], driver: undefined, want: [] },
    {
      name: 'a certificate for the hub stays, a token is removed',
      registration: [{ type: 'KubeClient' }] as const,
      driver: 'csr' as const,
      want: [rotated.type],
    },
    {
      name: 'a token for the hub stays, a certificate is removed',
      registration: [{ type: 'KubeClient' }] as const,
      driver: 'token' as const,
      want: [refreshed.type],
    },
    {
      name: 'a certificate of a signer of its own stays beside a token',
      registration: [{ type: 'KubeClient' }, signer] as const,
      driver: 'token' as const,
      want: [rotated.type, refreshed.type],
    },
  ])('$name', ({ registration, driver, want }) => expect(kept(registration, driver)).toEqual(want));

  it('of an add-on that another manager renders are not changed', () => {
    const hub = freshHub({ ...renderedElsewhere, clusterAddOn: addOn('hello', { status: { conditions: [rotated] } }) });
    expect(statusOf(pass(hub)).conditions?.map(({ type }) => type)).toContain(rotated.type);
  });
});
