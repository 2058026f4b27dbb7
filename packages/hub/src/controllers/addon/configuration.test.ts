import type { AddOnTemplate, ManagedClusterAddOn } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import { describe, expect, it } from 'vitest';
import type { ConfigProblem } from '@outrigger/rules/configuration';
import {
  type Hub,
  addOn,
  admitted,
  after,
  briefly,
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
/** A rollout with a wildcard admission to this template, for an add-on with a label-selector strategy. */
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
      name: 'a kind that the API server fails to return',
      hub: freshHub({ clusterAddOn: refersTo(widget), declarations: supporting(widget), otherConfigs: knowing('Failing') }),
      want: 'False ConfigurationNotFound: Configuration widgets/w could not be read: the API server fails to return it',
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
      name: 'is of a kind that the API server fails to return',
      problem: 'Failing',
      want: 'configuration widgets/w cannot be read: the API server fails to return it; the log of the manager contains the error',
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
  const digest = 'ab'.repeat(32);
  const found = knowing({ specHash: digest, generation: 3 });
  const installed = 'False Succeed: install completed with no errors.';
  const failed = 'False Failed: template other does not exist';
  const other = template([deployment('other')]);
  const named = { ...other, metadata: { ...other.metadata, name: 'other', labels: { 'open-cluster-management.io/addon-version': 'v2' } } };
  const toOther = { group: GROUP, resource: 'addontemplates', name: 'other' };
  const newVersion = template([deployment('new')]);
  const cases: readonly {
    readonly name: string;
    readonly hub: Hub;
    readonly gone: Partial<Hub>;
    readonly missing: string;
    readonly progress: string;
  }[] = [
    {
      name: 'a config of another kind, of which only the digest is known',
      hub: settledHub({ clusterAddOn: refersTo(widget), declarations: supporting(widget), otherConfigs: found }),
      gone: { otherConfigs: knowing('NotFound') },
      missing: 'NotFound: Configuration widgets/w is not found',
      progress: installed,
    },
    {
      name: 'a config that the manager may not read any more',
      hub: settledHub({ clusterAddOn: refersTo(widget), declarations: supporting(widget), otherConfigs: found }),
      gone: { otherConfigs: knowing('Forbidden') },
      missing:
        'Forbidden: Configuration widgets/w may not be read by the manager; aggregate the right into the ClusterRole outrigger:config-reader',
      progress: installed,
    },
    {
      name: 'a template',
      hub: settledHub({ clusterAddOn: refersTo(toOther), templates: [template(), named] }),
      gone: { templates: [template()] },
      missing: 'NotFound: Configuration addontemplates/other is not found',
      progress: failed,
    },
    {
      name: 'a template, beside its version',
      hub: settledHub({
        clusterAddOn: addOn('hello', { spec: { installVersion: 'v2', configs: [toOther] } }),
        templates: [template(), named],
      }),
      gone: { templates: [template()] },
      missing: 'NotFound: Configuration addontemplates/other is not found',
      progress: failed,
    },
  ];

  it.each(cases)('$name: is reported in Configured, and what runs stays', ({ hub, gone, missing, progress }) => {
    const without = { ...hub, ...gone };
    const decision = pass(without);
    expect(briefly(decision)).toEqual([STATUS]);
    expect(conditionText(decision, 'Configured')).toBe(`False Configuration${missing}`);
    expect(conditionText(decision, 'Progressing')).toBe(progress);
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
      digest,
    ]);
  });

  it('a template that another add-on or another cluster used is no content of this one', () => {
    const hub = settledHub({ clusterAddOn: refersTo(toOther), templates: [template(), named] });
    const fresh = pass(freshHub({ clusterAddOn: refersTo(toOther), contents: hub.contents }));
    expect(conditionText(fresh, 'Progressing')).toBe('False Failed: template other does not exist');
    expect(briefly(fresh)).toEqual([STATUS]);
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
