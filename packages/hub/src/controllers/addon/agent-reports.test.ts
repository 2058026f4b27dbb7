import type { AddOnRollout, AddOnTemplate, ManagedClusterAddOnStatus, ManifestWork, RolloutTarget } from '@outrigger/api';
import { type Condition, findCondition } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import type { Action } from '@outrigger/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentObject } from '@outrigger/rules/revisions';
import { templateInEffect } from '../registration/template-in-effect.js';
import { declarations } from '../../resources/declarations.js';
import { addOns } from '../../resources/add-ons.js';
import type { GrantedContent } from './reported-content.js';
import {
  type Hub,
  T0,
  addOn,
  admitted,
  after,
  condition as conditionOf,
  deployment,
  pass,
  settledHub,
  statusOf,
  template,
  viewOfHub,
} from './fixtures.js';

/**
 * AT-49: the works, bindings, annotations and certificates that the hub creates do not depend on the status that an agent writes. The test
 * leaves out the registration driver, which is the exception to this rule.
 */

const GROUP = 'addon.open-cluster-management.io';

/** A template with this image, and with this role as its permission on the hub. */
function variant(image: string, role: string): AddOnTemplate {
  const base = template([deployment(image)]);
  const registration = [
    { type: 'KubeClient', kubeClient: { hubPermissions: [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: role } }] } },
  ];
  return { ...base, spec: { ...base.spec, registration } } as AddOnTemplate;
}

const OLD = variant('hello:0', 'old-role');
const NOW_IN_USE = variant('hello:1', 'role');
const NEXT = variant('hello:2', 'next-role');
const TEMPLATES = [OLD, NOW_IN_USE, NEXT];

function targetOf(content: AddOnTemplate, revision: number): RolloutTarget {
  const [target] = admitted([{ resource: 'addontemplates', object: content }]).status?.history ?? [];
  return { ...(target as RolloutTarget), revision, digest: `d${revision}` };
}

function record(entry: object): AddOnRollout {
  const rollout = admitted([]);
  const history = TEMPLATES.map((content, i) => targetOf(content, i + 1)).reverse();
  return { ...rollout, status: { ...rollout.status, entries: [{ name: 'default', ...entry }] as never, history } };
}

const contents = TEMPLATES.map((content) =>
  contentObject(specHash(content), { spec: content.spec } as never, 'default', { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x' }),
);
const star = (revision: number): object => ({ cluster: '*', revision, admittedAt: '2025-12-31T00:00:00Z' });
const named = (revision: number): object => ({ cluster: 'c1', revision, admittedAt: '2025-12-31T00:00:00Z' });

const settled = settledHub({
  templates: [NOW_IN_USE],
  contents,
  rollout: record({ targetRevision: 2, inFlight: [star(2)] }),
});

function given(change: { readonly revision?: number; readonly entry: object; readonly spec?: object; readonly paused?: boolean }): Hub {
  const live = settled.clusterAddOn ?? addOn('hello');
  const annotations = change.revision === undefined ? {} : { 'outrigger.dev/revision': String(change.revision) };
  const rollout = record(change.entry);
  return {
    ...settled,
    clusterAddOn: { ...live, metadata: { ...live.metadata, annotations }, spec: { ...live.spec, ...change.spec } },
    rollout: { ...rollout, spec: change.paused ? { paused: true } : {} },
  };
}

const OWN: AddOnTemplate = { ...variant('hello:9', 'own-role'), metadata: { name: 'own', generation: 1 } };
/** A hub with an add-on whose own spec references a template. The template was deleted after the add-on was installed. */
const ownTemplateGone: Hub = {
  ...settledHub({
    clusterAddOn: addOn('hello', { spec: { configs: [{ group: GROUP, resource: 'addontemplates', name: 'own' }] } }),
    templates: [NOW_IN_USE, OWN],
  }),
  templates: [NOW_IN_USE],
};

const SITUATIONS: readonly { readonly name: string; readonly hub: Hub }[] = [
  { name: 'with a person’s template that was deleted while in use', hub: ownTemplateGone },
  { name: 'settled under a wildcard admission', hub: settled },
  { name: 'waiting for its turn, with the revision in its annotation', hub: given({ revision: 2, entry: { targetRevision: 3 } }) },
  { name: 'waiting while the rollout is paused', hub: given({ revision: 2, entry: { targetRevision: 3 }, paused: true }) },
  { name: 'admitted by name and not annotated yet', hub: given({ revision: 2, entry: { targetRevision: 3, inFlight: [named(3)] } }) },
  { name: 'without any grant', hub: given({ entry: { targetRevision: 3 } }) },
  {
    name: 'with a person’s version that no template offers',
    hub: given({ revision: 2, entry: { targetRevision: 2 }, spec: { installVersion: 'v9' } }),
  },
  {
    name: 'with a person’s configuration that is gone',
    hub: given({
      revision: 2,
      entry: { targetRevision: 2 },
      spec: { configs: [{ group: GROUP, resource: 'addondeploymentconfigs', namespace: 'default', name: 'gone' }] },
    }),
  },
];

const digest = fc.constantFrom(...TEMPLATES.map((content) => specHash(content)), '', 'f'.repeat(64));
const version = fc.constantFrom('', 'v1', 'v2', 'v9', 'unknown');
const name = fc.constantFrom('hello', 'gone', 'other', '');
const pinned = fc.record({ name, namespace: fc.constantFrom('default', ''), specHash: digest }, { requiredKeys: ['name', 'specHash'] });
const reference = fc.record(
  {
    group: fc.constantFrom(GROUP, 'example.com', ''),
    resource: fc.constantFrom('addontemplates', 'addondeploymentconfigs', 'things', 'secrets'),
    name,
    namespace: fc.constantFrom('default', ''),
    desiredConfig: pinned,
    lastAppliedConfig: pinned,
    lastObservedGeneration: fc.nat(3),
  },
  { requiredKeys: ['group', 'resource', 'name'] },
);
const condition = fc.record({
  type: fc.constantFrom('Available', 'Degraded', 'Progressing', 'Configured', 'ManifestApplied', 'RegistrationApplied', 'X'),
  status: fc.constantFrom('True', 'False', 'Unknown'),
  reason: fc.constantFrom('Succeed', 'Failed', 'Upgrading', 'RequiredDependencyNotSatisfied', 'X'),
  message: fc.string({ maxLength: 5 }),
  lastTransitionTime: fc.constantFrom('2026-01-01T00:00:00Z', '2036-01-01T00:00:00Z'),
});
const report: fc.Arbitrary<ManagedClusterAddOnStatus> = fc.record(
  {
    configReferences: fc.array(reference, { maxLength: 4 }),
    installVersion: version,
    currentVersion: version,
    lastVersion: version,
    namespace: fc.constantFrom('kube-system', 'hello', ''),
    conditions: fc.uniqueArray(condition, { maxLength: 4, selector: ({ type }) => type }),
    registrations: fc.array(
      fc.record({
        signerName: fc.constantFrom('kubernetes.io/kube-apiserver-client', 'x/y'),
        subject: fc.record({ user: fc.string(), groups: fc.array(fc.string()) }),
      }),
      { maxLength: 2 },
    ),
    healthCheck: fc.record({ mode: fc.constantFrom('Lease', 'Customized') }),
    supportedConfigs: fc.array(fc.record({ group: fc.constant('example.com'), resource: fc.constant('things') }), { maxLength: 1 }),
  },
  { requiredKeys: [] },
);

/** Every write in a pass except the status. */
function granted(hub: Hub): readonly Action[] {
  return pass(hub)
    .stages.flat()
    .filter((action) => action.type === 'effect' || action.type !== 'patch' || action.subresource !== 'status');
}

function approved(hub: Hub): unknown {
  const view = viewOfHub(hub);
  const live = view.get(addOns, { namespace: 'c1', name: 'hello' });
  const managementAddOn = view.get(declarations, { name: 'hello' });
  return live && managementAddOn && templateInEffect(view, managementAddOn, live)?.registration;
}

describe('AT-49 an agent’s status is a report', () => {
  it.each(SITUATIONS)('$name: no status changes works, bindings, annotations or approvals', ({ hub }) => {
    const [writes, approvals] = [granted(hub), approved(hub)];
    fc.assert(
      fc.property(report, (status) => {
        const reported = { ...hub, clusterAddOn: hub.clusterAddOn && { ...hub.clusterAddOn, status } };
        expect(granted(reported)).toEqual(writes);
        expect(approved(reported)).toEqual(approvals);
      }),
      { numRuns: 200, seed: 49 },
    );
  });

  it('the digests in its works choose no content, permission or certificate', () => {
    const earlier: AddOnTemplate = { ...variant('hello:8', 'old-role'), metadata: { name: 'own', generation: 1 } };
    const spec = { configs: [{ group: GROUP, resource: 'addontemplates', name: 'own' }] };
    const before = settledHub({ clusterAddOn: addOn('hello', { spec }), templates: [NOW_IN_USE, earlier] });
    const hub: Hub = { ...ownTemplateGone, contents: [...(ownTemplateGone.contents ?? []), ...before.contents] };
    const works = JSON.parse(JSON.stringify(hub.works).replaceAll(specHash(OWN), specHash(earlier))) as NonNullable<Hub['works']>;
    for (const given of [hub, { ...hub, works }, { ...hub, works: before.works }, { ...hub, works: [] }]) {
      expect(granted(given)).toEqual([]);
      expect(approved(given)).toEqual(NOW_IN_USE.spec.registration);
    }
  });

  it('other content has other works and rights', () => {
    const moved = granted(given({ entry: { targetRevision: 3, inFlight: [star(3)] } }));
    expect(JSON.stringify(moved)).toContain('next-role');
    expect(JSON.stringify(moved)).toContain('hello:2');
  });
});

describe('AT-49 a status that names content which the hub did not grant', () => {
  const reasons = (hub: Hub, remembered: GrantedContent | undefined): readonly string[] =>
    (pass(hub, { remembered }).events ?? []).map(({ reason }) => reason);
  const [old, inUse, next] = TEMPLATES.map((content) => specHash(content)) as [string, string, string];
  const naming = (hub: Hub, part: 'desiredConfig' | 'lastAppliedConfig', digestOf: string): Hub => {
    const reference = { group: GROUP, resource: 'addontemplates', name: 'hello', [part]: { name: 'hello', specHash: digestOf } };
    return {
      ...hub,
      clusterAddOn: hub.clusterAddOn && {
        ...hub.clusterAddOn,
        status: { ...hub.clusterAddOn.status, configReferences: [reference] as never },
      },
    };
  };
  const arrived: GrantedContent = { granted: [inUse], replaced: [] };

  it.each(['desiredConfig', 'lastAppliedConfig'] as const)(
    '%s: causes an Event for any other digest, and none for granted content',
    (part) => {
      for (const foreign of [old, next, 'f'.repeat(64), 'x'])
        expect(reasons(naming(settled, part, foreign), arrived)).toEqual(['StatusNotGranted']);
      expect(reasons(naming(settled, part, inUse), arrived)).toEqual([]);
      expect(reasons(naming(settled, part, ''), arrived)).toEqual([]);
      const moving = { granted: [inUse], replaced: [old] };
      expect(reasons(naming(settled, part, old), moving), 'a move that the status does not show yet').toEqual([]);
      expect(reasons(naming(settled, part, old), { granted: [old], replaced: [] }), 'the pass that moves').toEqual([]);
      expect(reasons(naming(settled, part, old), undefined), 'the first pass of a process').toEqual([]);
    },
  );

  it('remembers the granted content, and replaced content only until the status names the present one', () => {
    const remember = (hub: Hub, remembered: GrantedContent): unknown => pass(hub, { remembered }).remember;
    expect(remember(naming(settled, 'desiredConfig', old), arrived)).toEqual(arrived);
    expect(remember(naming(settled, 'desiredConfig', old), { granted: [old], replaced: [] })).toEqual({
      granted: [inUse],
      replaced: [old],
    });
    expect(remember(naming(settled, 'desiredConfig', inUse), { granted: [inUse], replaced: [old] })).toEqual(arrived);
  });

  it('remembers one value for all add-ons that have arrived at the same content', () => {
    const first = pass(naming(settled, 'desiredConfig', inUse), { remembered: undefined }).remember;
    expect(first).toEqual(arrived);
    expect(pass(naming(settled, 'lastAppliedConfig', inUse), { remembered: { granted: [inUse], replaced: [old] } }).remember).toBe(first);
  });
});

describe('AT-43 a work status as large as the API accepts', () => {
  const LONGEST = 32_768;
  const moving = (manifests: number): Hub => {
    const hub = settledHub({ templates: [OLD] });
    const next = { ...hub, templates: [NEXT], rollout: admitted([{ resource: 'addontemplates', object: NEXT }]) };
    const written = after(next, pass(next));
    const refusal = (type: string, work: ManifestWork): Condition => ({
      ...conditionOf(type, 'False', 'X', 'x'.repeat(LONGEST)),
      observedGeneration: work.metadata.generation ?? 0,
    });
    const refused = (work: ManifestWork): ManifestWork => ({
      ...work,
      status: {
        conditions: [refusal('Applied', work), refusal('Available', work)],
        resourceStatus: {
          manifests: Array.from({ length: manifests }, (_, ordinal) => ({
            resourceMeta: { ordinal, name: `m${ordinal}` },
            conditions: [refusal('Applied', work)],
          })),
        },
      },
    });
    return { ...written, works: written.works.map(refused) };
  };

  it.each([0, 1, 20])('%i refused manifests: the move fails, and the API server accepts every message', (manifests) => {
    const status = statusOf(pass(moving(manifests), { at: T0 + 3_600_000 }));
    expect(findCondition(status.conditions, 'Progressing')).toMatchObject({ status: 'False', reason: 'Failed' });
    expect(findCondition(status.conditions, 'ManifestApplied')).toMatchObject({ status: 'False' });
    for (const { type, message } of status.conditions ?? []) expect(message.length, type).toBeLessThanOrEqual(LONGEST);
  });
});
