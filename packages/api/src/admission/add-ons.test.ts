import { describe, expect, it } from 'vitest';
import { managementAddOnToV1beta1 } from '../conversion/cluster-management-add-on.js';
import { convertObject } from '../conversion/convert.js';
import { V1ALPHA1, V1BETA1 } from '../conversion/versions.js';
import { addOnToV1beta1 } from '../conversion/managed-cluster-add-on.js';
import type { KubeObject } from '@outrigger/core';
import type { ClusterManagementAddOn, InstallStrategy, ManagedClusterAddOn, ManagedClusterAddOnV1beta1 } from '../generated/addon.js';
import { ADC, addOn, brief, deleting, dependingOn, hubWith, SETTINGS, TEMPLATES, template, writing } from './fixtures.js';
import { review } from './review.js';
import type { AdmissionLookup, Allowed } from './types.js';

type Config = NonNullable<ManagedClusterAddOn['spec']['configs']>[number];

const placed = (configs: readonly Config[]): InstallStrategy => ({
  type: 'Placements',
  placements: [{ namespace: 'default', name: 'all', configs }],
});

function onCluster(name: string, spec: ManagedClusterAddOn['spec'] = {}): ManagedClusterAddOn {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: { name, namespace: 'c1' },
    spec,
  };
}

describe('ClusterManagementAddOn: dependencies', () => {
  const hub = hubWith({ addOns: [dependingOn('b', 'c'), dependingOn('c', 'a'), dependingOn('x', 'y'), dependingOn('y', 'x')] });

  it.each([
    { name: 'itself', object: dependingOn('a', 'a'), want: 'spec.dependencies[0].name: the dependencies form a cycle: a -> a' },
    {
      name: 'a longer way round',
      object: dependingOn('a', 'z', 'b'),
      want: 'spec.dependencies[1].name: the dependencies form a cycle: a -> b -> c -> a',
    },
    { name: 'an add-on that does not exist', object: dependingOn('a', 'z'), want: 'ok' },
    { name: 'a cycle it is not part of', object: dependingOn('a', 'x'), want: 'ok' },
  ])('depending on $name', ({ object, want }) => {
    expect(brief(review(writing(object), hub, SETTINGS))).toBe(want);
  });

  it('returns the same message to a writer of v1beta1', () => {
    expect(brief(review(writing(managementAddOnToV1beta1(dependingOn('a', 'a'))), hub, SETTINGS))).toContain('a -> a');
  });

  it('does not hold up other edits of an add-on that is on a cycle already', () => {
    const edited = { ...dependingOn('x', 'y'), metadata: { name: 'x', labels: { a: 'b' } } };
    expect(brief(review(writing(edited, dependingOn('x', 'y')), hub, SETTINGS))).toBe('ok');
  });

  it('finds the end of ten thousand add-ons in a row', () => {
    const chain = Array.from({ length: 10_000 }, (_, i) => dependingOn(`n${i}`, `n${i + 1}`));
    const views = new Map(chain.map((object) => [object.metadata.name, object]));
    const lookup = {
      ...hubWith({}),
      addOn: (name: string) =>
        views.has(name) ? { name, dependencies: [`n${Number(name.slice(1)) + 1}`], supportedConfigs: [], templates: [] } : undefined,
    };
    expect(brief(review(writing(dependingOn('n10000', 'n0')), lookup, SETTINGS))).toMatch(/n10000 -> n0 -> n1 .* -> n10000$/);
  });
});

describe('ClusterManagementAddOn: configurations', () => {
  const config = { group: 'x.io', resource: 'things', namespace: 'ns', name: 'one' };
  const supported = addOn('a', { supportedConfigs: [{ group: 'x.io', resource: 'things' }], installStrategy: placed([config]) });

  it.each([
    { name: 'the writer must be allowed to read the referenced object', object: supported, want: 'if get things ns/one' },
    {
      name: 'a default is a reference too',
      object: addOn('a', { supportedConfigs: [{ ...ADC, defaultConfig: { name: 'd', namespace: 'ns' } }] }),
      want: 'if get addondeploymentconfigs ns/d',
    },
    {
      name: 'a template add-on always takes deployment configurations',
      object: addOn('templated', { installStrategy: placed([{ ...ADC, namespace: 'ns', name: 'd' }]) }),
      want: 'if get addondeploymentconfigs ns/d',
    },
  ])('$name', ({ object, want }) => {
    expect(brief(review(writing(object), hubWith({ templates: [template('t1', 'templated', 'v1')] }), SETTINGS))).toBe(want);
  });

  it('tolerates an unsupported reference that existed before, also at another position of the list', () => {
    const before = addOn('a', { installStrategy: placed([config]) });
    const after = addOn('a', { supportedConfigs: [ADC], installStrategy: placed([{ ...ADC, name: 'new' }, config]) });
    expect(brief(review(writing(after, before), hubWith({}), SETTINGS))).toBe('if get addondeploymentconfigs new');
  });

  it('checks again when a reference applies to other clusters', () => {
    const spec = { supportedConfigs: [{ group: 'x.io', resource: 'things' }] };
    const before = addOn('a', { ...spec, installStrategy: placed([config]) });
    const entry = { namespace: 'default', configs: [config] };
    const after = addOn('a', {
      ...spec,
      installStrategy: {
        type: 'Placements',
        placements: [
          { ...entry, name: 'more' },
          { ...entry, name: 'all' },
        ],
      },
    });
    expect(review(writing(after, before), hubWith({}), SETTINGS)).toMatchObject({
      requires: [{ denied: expect.stringContaining('placements[0].configs[0]') }],
    });
  });

  it.each([V1ALPHA1, V1BETA1])('names fields that the object of a writer of %s has', (version) => {
    const other = { ...TEMPLATES, name: 'other' };
    const object = addOn('a', {
      supportedConfigs: [
        { ...ADC, defaultConfig: { name: 'unplaced' } },
        { ...TEMPLATES, defaultConfig: { name: 'later' } },
      ],
      installStrategy: placed([config, { ...ADC, name: 'unplaced' }, other]),
    });
    const written = convertObject(object, version);
    const lookup = hubWith({ templates: [template('other', 'b', 'v1')] });
    const { warnings = [], requires = [] } = review(writing(written), lookup, SETTINGS) as Allowed;
    const messages = [...warnings, ...requires.map(({ denied }) => denied)];
    expect(messages.length).toBeGreaterThan(8);
    for (const message of messages) {
      const [path = ''] = message.split(':');
      const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
      const at = steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], written);
      expect([path, at]).toEqual([path, expect.anything()]);
      expect(message.includes('among the defaultConfigs')).toBe(message.includes('is not among') && version === V1BETA1);
    }
  });

  it("does not check the manager's rights: it copies fields that a user was allowed to write", () => {
    expect(brief(review(writing(supported, undefined, 'outrigger'), hubWith({}), SETTINGS))).toBe('ok');
  });

  it.each([
    {
      name: 'a template that does not exist yet',
      spec: { supportedConfigs: [{ ...TEMPLATES, defaultConfig: { name: 'later' } }] },
      want: /no AddOnTemplate later yet/,
    },
    {
      name: 'placements without the type',
      spec: { installStrategy: { placements: [{ namespace: 'n', name: 'p' }] } },
      want: /placements is ignored with type Manual/,
    },
    {
      name: 'a selector without the type',
      spec: {
        installStrategy: { type: 'Placements' as const, placements: [{ namespace: 'default', name: 'all' }], labelSelector: {} },
      },
      want: /labelSelector is ignored with type Placements/,
    },
    {
      name: 'a rollout strategy beside the Placements',
      spec: {
        installStrategy: {
          type: 'Placements' as const,
          placements: [{ namespace: 'default', name: 'all' }],
          rolloutStrategy: { type: 'Progressive' as const, progressive: { maxConcurrency: 1 } },
        },
      },
      want: /rolloutStrategy is ignored with type Placements/,
    },
    {
      name: 'an addonTemplate without the type',
      spec: { installStrategy: { addonTemplate: { installVersion: 'v1' } } },
      want: /addonTemplate is ignored with type Manual/,
    },
    {
      name: 'type Placements without a Placement',
      spec: { installStrategy: { type: 'Placements' as const } },
      want: /placements: type Placements names no Placement, so the add-on is installed on no cluster; add a namespace and name/,
    },
  ])('warns about $name', ({ spec, want }) => {
    expect(review(writing(addOn('a', spec)), hubWith({}), SETTINGS)).toMatchObject({
      allowed: true,
      warnings: [expect.stringMatching(want)],
    });
  });
});

describe('ManagedClusterAddOn', () => {
  const thing = { group: 'x.io', resource: 'things', name: 'one' };
  const hub = hubWith({
    addOns: [addOn('a', { supportedConfigs: [{ group: 'x.io', resource: 'things' }] })],
    templates: [template('t', 'other')],
  });

  it.each([
    {
      name: 'a user who may read a supported kind may reference it',
      object: onCluster('a', { configs: [thing] }),
      want: 'if get things one',
    },
    {
      name: 'without a ClusterManagementAddOn nothing is known to be unsupported',
      object: onCluster('new', { configs: [thing] }),
      want: 'if get things one',
    },
  ])('$name', ({ object, want }) => {
    expect(brief(review(writing(object), hub, SETTINGS))).toBe(want);
  });

  it('checks added references only', () => {
    const before = onCluster('a', { configs: [thing] });
    const after = onCluster('a', { configs: [thing, { ...thing, name: 'two' }], installVersion: 'v2' });
    expect(brief(review(writing(after, before), hub, SETTINGS))).toBe('if get things two');
  });

  it.each(['Bad_Name', '-a', 'a'.repeat(64)])(
    'rejects %s as the install namespace in the annotation of v1beta1, which no schema checks',
    (place) => {
      const bad = addOnToV1beta1(onCluster('a', { installNamespace: place }));
      const fine = addOnToV1beta1(onCluster('a', { installNamespace: 'fine' }));
      const field = 'metadata.annotations[addon.open-cluster-management.io/v1alpha1-install-namespace]';
      for (const old of [undefined, fine])
        expect(brief(review(writing(bad, old), hubWith({}), SETTINGS))).toContain(`${field}: "${place}"`);
      const edited: ManagedClusterAddOnV1beta1 = { ...bad, spec: { installVersion: 'v1' } };
      expect(brief(review(writing(edited, bad), hubWith({}), SETTINGS))).toBe('ok');
      expect(brief(review(writing(fine, bad), hubWith({}), SETTINGS))).toBe('ok');
    },
  );

  it('leaves status to its writers', () => {
    const object = onCluster('a', { configs: [{ ...thing, resource: 'wrong' }] });
    expect(review({ ...writing(object), subResource: 'status' }, hub, SETTINGS)).toEqual({ allowed: true });
  });
});

/** Every field that can reference a config, with its path in messages. */
const PLACES: readonly { readonly path: string; readonly naming: (config: Config) => ClusterManagementAddOn | ManagedClusterAddOn }[] = [
  { path: 'spec.installStrategy.placements[0].configs[0]', naming: (config) => addOn('a', { installStrategy: placed([config]) }) },
  {
    path: 'spec.installStrategy.placements[0].addonTemplate.configs[0]',
    naming: (config) =>
      addOn('a', {
        installStrategy: { type: 'Placements', placements: [{ namespace: 'default', name: 'all', addonTemplate: { configs: [config] } }] },
      }),
  },
  {
    path: 'spec.installStrategy.configs[0]',
    naming: (config) => addOn('a', { installStrategy: { type: 'ClusterLabelSelector', labelSelector: {}, configs: [config] } }),
  },
  {
    path: 'spec.installStrategy.addonTemplate.configs[0]',
    naming: (config) =>
      addOn('a', { installStrategy: { type: 'ClusterLabelSelector', labelSelector: {}, addonTemplate: { configs: [config] } } }),
  },
  { path: 'spec.configs[0]', naming: (config) => onCluster('a', { configs: [config] }) },
];

describe('the name of an add-on from templates', () => {
  const reference = { ...TEMPLATES, name: 't' };
  const WRITES: readonly { readonly kind: string; readonly field: string; readonly named: (name: string) => KubeObject }[] = [
    { kind: 'AddOnTemplate', field: 'spec.addonName', named: (name) => template('t', name) },
    {
      kind: 'ClusterManagementAddOn with a template',
      field: 'metadata.name',
      named: (name) => addOn(name, { supportedConfigs: [{ ...TEMPLATES, defaultConfig: { name: 't' } }] }),
    },
    { kind: 'ManagedClusterAddOn with a template', field: 'metadata.name', named: (name) => onCluster(name, { configs: [reference] }) },
  ];
  const warningsOf = (object: KubeObject, old?: KubeObject): string => {
    const name = 'a'.repeat(63);
    const hub = hubWith({ addOns: [addOn(name)], templates: [template('t', 'a'.repeat(64))] });
    const result = review(writing(object, old), hub, SETTINGS);
    return result.allowed ? (result.warnings ?? []).join('\n') : `refused: ${result.message}`;
  };

  it.each(WRITES)('$kind: is accepted with a warning if it is longer than a label', ({ field, named }) => {
    for (const length of [64, 253]) {
      const name = 'a'.repeat(length);
      expect(warningsOf(named(name))).toContain(`${field}: ${name} has ${length} characters; the works of an add-on from a template`);
      expect(warningsOf(named(name), named(name)), 'a later edit').not.toContain('characters');
    }
    expect(warningsOf(named('a'.repeat(63)))).not.toContain('characters');
  });

  it('may be longer if another manager installs the add-on', () => {
    expect(warningsOf(addOn('a'.repeat(64)))).toBe('');
    expect(warningsOf(onCluster('a'.repeat(64), {}))).toBe('');
  });
});

describe.each(PLACES)('a reference in $path is accepted with a warning if', ({ path, naming }) => {
  const thing = { group: 'x.io', resource: 'things', namespace: 'ns', name: 'one' };
  const inHub = (parts: Parameters<typeof hubWith>[0] = {}): AdmissionLookup => hubWith({ addOns: [addOn('a')], ...parts });
  const warningsOf = (object: KubeObject, hub: AdmissionLookup): readonly string[] => {
    const result = review(writing(object), hub, SETTINGS);
    return result.allowed ? (result.warnings ?? []) : [`refused: ${result.message}`];
  };

  it('its kind is not supported', () => {
    const remedy = 'so it is not applied; add it there or remove the reference';
    expect(warningsOf(naming(thing), inHub())).toEqual([
      `${path}: things.x.io is not among the supportedConfigs of the add-on a, ${remedy}`,
    ]);
  });

  it('not if another manager publishes the kind', () => {
    expect(warningsOf(naming(thing), inHub({ published: { a: [{ group: 'x.io', resource: 'things' }] } }))).toEqual([]);
  });

  it('not if every add-on from templates supports the kind', () => {
    const own = inHub({ templates: [template('t', 'a')] });
    expect(
      [naming({ ...TEMPLATES, name: 't' }), naming({ ...ADC, namespace: 'ns', name: 'd' })].flatMap((one) => warningsOf(one, own)),
    ).toEqual([]);
    const others = inHub({ templates: [template('t', 'other')] });
    expect(warningsOf(naming({ ...TEMPLATES, name: 't' }), others).join()).not.toContain('is not applied');
  });

  it('its kind needs a namespace', () => {
    const hub = inHub({ templates: [template('t', 'a')] });
    expect(warningsOf(naming({ ...ADC, name: 'd' }), hub)).toEqual([
      `${path}: addondeploymentconfigs.addon.open-cluster-management.io is namespaced, and the reference to d names no namespace; add one`,
    ]);
  });

  it('the template belongs to another add-on; its user must be allowed to grant the rights that it grants', () => {
    const registration = [
      {
        type: 'KubeClient' as const,
        kubeClient: { hubPermissions: [{ type: 'CurrentCluster' as const, currentCluster: { clusterRoleName: 'r' } }] },
      },
    ];
    const hub = inHub({
      addOns: [addOn('a', { supportedConfigs: [TEMPLATES] })],
      templates: [template('t', 'other', 'v1', { registration })],
      published: { a: [TEMPLATES] },
    });
    const object = naming({ ...TEMPLATES, name: 't' });
    expect(warningsOf(object, hub)).toEqual([
      `${path}: the AddOnTemplate t is of the add-on other (spec.addonName), not of a; it is used all the same`,
    ]);
    expect(brief(review(writing(object), hub, SETTINGS))).toBe('if get addontemplates t, bind clusterroles r');
  });

  it('a deployment config moves the agent only because of the default of its field', () => {
    const manifests = [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'agent', namespace: 'home' } }];
    const hub = (agentInstallNamespace: string, home = 'home'): AdmissionLookup =>
      inHub({
        templates: [
          template('t', 'a', 'v1', {
            agentSpec: { workload: { manifests: manifests.map((one) => ({ ...one, metadata: { ...one.metadata, namespace: home } })) } },
          }),
        ],
        deploymentConfigs: { 'ns/d': agentInstallNamespace },
      });
    const object = naming({ ...ADC, namespace: 'ns', name: 'd' });
    expect(warningsOf(object, hub('open-cluster-management-agent-addon'))).toEqual([
      `${path}: the agentInstallNamespace of AddOnDeploymentConfig ns/d is the field's default, open-cluster-management-agent-addon: it moves the agent of the add-on a there from home; set agentInstallNamespace: "" to keep the namespace of the template`,
    ]);
    expect(warningsOf(object, hub(''))).toEqual([]);
    expect(warningsOf(object, hub('elsewhere'))).toEqual([]);
    expect(warningsOf(object, hub('open-cluster-management-agent-addon', 'open-cluster-management-agent-addon'))).toEqual([]);
    expect(warningsOf(object, hub('open-cluster-management-agent-addon', '{{PLACE}}'))).toEqual([]);
  });
});

describe('AddOnDeploymentConfig', () => {
  const config = (agentInstallNamespace: string): KubeObject & { spec: object } => ({
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'AddOnDeploymentConfig',
    metadata: { name: 'd', namespace: 'ns' },
    spec: { agentInstallNamespace },
  });
  const manifests = [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'agent', namespace: 'home' } }];
  const hub = hubWith({
    addOns: [addOn('a')],
    templates: [template('t', 'a', 'v1', { agentSpec: { workload: { manifests } } })],
    users: { 'ns/d': ['a', 'a', 'unrelated'] },
  });
  const DEFAULT = 'open-cluster-management-agent-addon';

  it.each([
    {
      name: 'is warned about when its default moves an agent',
      object: config(DEFAULT),
      want: /moves the agent of the add-on a there from home/,
    },
    { name: 'is not, with the empty namespace', object: config(''), want: undefined },
    { name: 'is not, with a namespace of its own', object: config('there'), want: undefined },
    { name: 'is not again, when something else changes', object: config(DEFAULT), old: config(DEFAULT), want: undefined },
  ])('$name', ({ object, old, want }) => {
    expect(review(writing(object, old), hub, SETTINGS)).toEqual(
      want ? { allowed: true, warnings: [expect.stringMatching(want)] } : { allowed: true },
    );
  });

  it('a namespace of the add-on’s own is followed, so that nothing moves', () => {
    const moved = hubWith({
      addOns: [addOn('a')],
      templates: [template('t', 'a', 'v1', { agentSpec: { workload: { manifests } } })],
      deploymentConfigs: { 'ns/d': DEFAULT },
    });
    const object = onCluster('a', { installNamespace: 'mine', configs: [{ ...ADC, namespace: 'ns', name: 'd' }] });
    expect(review(writing(object), moved, SETTINGS)).not.toHaveProperty('warnings');
  });
});

describe('deletion', () => {
  const hub = hubWith({
    addOns: [addOn('base'), dependingOn('app', 'base'), dependingOn('idle', 'base')],
    installed: { c1: ['base', 'app'], c2: ['base'] },
  });

  it('of a ClusterManagementAddOn is allowed and counts the objects that are deleted with it', () => {
    expect(review(deleting(addOn('base')), hub, SETTINGS)).toEqual({
      allowed: true,
      warnings: [
        'the add-on base is installed on 2 clusters and will be removed there, except with --cascade=orphan',
        'add-ons that depend on base: app, idle',
      ],
    });
  });

  it('of a dependency is allowed and names the dependents on that cluster', () => {
    expect(review(deleting(onCluster('base')), hub, SETTINGS)).toEqual({
      allowed: true,
      warnings: ['add-ons on c1 that depend on base and will be degraded: app'],
    });
  });

  it('of an add-on without dependents gives no warning', () => {
    expect(review(deleting(onCluster('app')), hub, SETTINGS)).toEqual({ allowed: true });
  });
});
