import { CostPool, type KubeObject, jsonPatch, type UserInfo } from '@outrigger/core';
import { compileExpression } from '@outrigger/core/cel';
import { describe, expect, it } from 'vitest';
import { KIND_DEFINITIONS } from '../definitions.js';
import { customResourceDefinition } from '../schema/crd.js';
import type { ManagedCluster } from '../generated/cluster.js';
import { clusterIdentityExpression, isClusterIdentity } from './cluster-identity.js';
import { NOW, SETTINGS, hubWith, writing } from './fixtures.js';
import { mutate } from './mutate.js';
import { review } from './review.js';
import type { AdmissionSettings } from './types.js';

const AGENT: UserInfo = {
  username: 'system:open-cluster-management:c1:agent',
  groups: ['system:open-cluster-management:c1', 'system:open-cluster-management:managed-clusters', 'system:authenticated'],
};
const CLUSTERS: readonly UserInfo[] = [
  AGENT,
  { username: 'system:open-cluster-management:c1:agent', groups: [] },
  { username: 'system:open-cluster-management:c1:agent' },
  { username: 'renamed', groups: ['system:open-cluster-management:c1'] },
  { username: 'renamed', groups: ['open-cluster-management:c1'] },
  { username: 'renamed', groups: ['system:open-cluster-management:managed-clusters'] },
  { username: 'system:serviceaccount:outrigger-join:c1', groups: ['system:serviceaccounts', 'system:serviceaccounts:outrigger-join'] },
  { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', 'system:bootstrappers:managedcluster'] },
  { username: 'system:serviceaccount:open-cluster-management:agent-registration-bootstrap', groups: ['system:serviceaccounts'] },
  { username: 'system:serviceaccount:open-cluster-management:cluster-bootstrap', groups: [] },
  { username: 'joiner', groups: [] },
  { username: 'anything', groups: ['joiners'] },
];
const PEOPLE: readonly UserInfo[] = [
  { username: 'jane', groups: ['system:masters', 'system:authenticated'] },
  { username: 'system:serviceaccount:open-cluster-management-hub:outrigger-hub', groups: ['system:serviceaccounts'] },
  // An add-on's agent, whose permissions are those that an administrator granted in a template.
  {
    username: 'system:open-cluster-management:cluster:c1:addon:a:agent:a-agent',
    groups: ['system:open-cluster-management:cluster:c1:addon:a', 'system:open-cluster-management:addon:a'],
  },
  { username: 'system:apiserver', groups: ['system:masters'] },
];
const settings: AdmissionSettings = { ...SETTINGS, bootstrapUsers: ['joiner'], bootstrapGroups: ['joiners'] };
const hub = hubWith({});

const STANDING: ManagedCluster = {
  apiVersion: 'cluster.open-cluster-management.io/v1',
  kind: 'ManagedCluster',
  metadata: {
    name: 'c1',
    labels: { env: 'dev', 'cluster.open-cluster-management.io/clusterset': 'default' },
    annotations: { 'outrigger.dev/agent-key': 'k', 'agent.open-cluster-management.io/version': '1' },
    finalizers: ['cluster.open-cluster-management.io/api-resource-cleanup'],
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }],
  },
  spec: {
    hubAcceptsClient: true,
    leaseDurationSeconds: 60,
    managedClusterClientConfigs: [{ url: 'https://old' }],
    taints: [{ key: 'k', value: 'v', effect: 'NoSelect', timeAdded: NOW }],
  },
};
const fresh = (): ManagedCluster => ({
  apiVersion: STANDING.apiVersion,
  kind: STANDING.kind,
  metadata: { name: 'c1' },
  spec: {},
});

interface Outcome {
  readonly verdict: 'allowed' | 'kept' | 'refused';
  readonly object: KubeObject;
  readonly warnings: readonly string[];
  readonly message: string;
}

/** Sends a write through admission in the order that a server uses: first the mutation, then the review of the mutated object. */
function write(object: KubeObject, old: KubeObject | undefined, userInfo: UserInfo, given: AdmissionSettings = settings): Outcome {
  const request = { ...writing(object, old), userInfo };
  const mutated = mutate(request, NOW, given);
  if (!mutated.allowed) return { verdict: 'refused', object, warnings: [], message: mutated.message };
  const result = mutated.patch ? jsonPatch<KubeObject>(object, mutated.patch) : object;
  const reviewed = review({ ...request, object: result }, hub, given);
  const warnings = mutated.warnings ?? [];
  if (!reviewed.allowed) return { verdict: 'refused', object: result, warnings, message: reviewed.message };
  return { verdict: warnings.length > 0 ? 'kept' : 'allowed', object: result, warnings, message: '' };
}

function changed(
  change: (draft: { metadata: Record<string, unknown>; spec: Record<string, unknown> }) => void,
  from = STANDING,
): KubeObject {
  const draft = structuredClone(from) as unknown as { metadata: Record<string, unknown>; spec: Record<string, unknown> };
  change(draft);
  return draft as unknown as KubeObject;
}

/**
 * Every field of a ManagedCluster that a writer can send, with a changed value. `verdict` is the result if a managed cluster sends the
 * value.
 */
const CHANGES: readonly { readonly field: string; readonly value: unknown; readonly verdict: Outcome['verdict'] }[] = [
  { field: 'metadata.labels', value: { env: 'prod' }, verdict: 'kept' },
  { field: 'metadata.labels', value: { 'feature.open-cluster-management.io/addon-a': 'available' }, verdict: 'kept' },
  { field: 'metadata.labels', value: undefined, verdict: 'kept' },
  {
    field: 'metadata.annotations',
    value: { 'agent.open-cluster-management.io/version': '2', 'outrigger.dev/agent-key': 'k' },
    verdict: 'allowed',
  },
  { field: 'metadata.annotations', value: { 'outrigger.dev/agent-key': 'mine' }, verdict: 'kept' },
  { field: 'metadata.annotations', value: { 'agent.open-cluster-management.io.evil/x': 'y' }, verdict: 'kept' },
  { field: 'metadata.annotations', value: { 'outrigger.dev/detach': 'forced' }, verdict: 'kept' },
  { field: 'metadata.annotations', value: { 'addon.open-cluster-management.io/disable-automatic-installation': 'true' }, verdict: 'kept' },
  { field: 'metadata.annotations', value: undefined, verdict: 'kept' },
  { field: 'metadata.finalizers', value: [], verdict: 'refused' },
  { field: 'metadata.finalizers', value: ['example.com/mine'], verdict: 'refused' },
  { field: 'metadata.ownerReferences', value: [], verdict: 'refused' },
  { field: 'spec.hubAcceptsClient', value: false, verdict: 'refused' },
  { field: 'spec.leaseDurationSeconds', value: 1, verdict: 'refused' },
  { field: 'spec.taints', value: [], verdict: 'refused' },
  { field: 'spec.taints', value: undefined, verdict: 'refused' },
  { field: 'spec.taints', value: [{ key: 'k', value: 'v', effect: 'PreferNoSelect' }], verdict: 'refused' },
  { field: 'spec.managedClusterClientConfigs', value: [{ url: 'https://new' }], verdict: 'allowed' },
  { field: 'spec.managedClusterClientConfigs', value: undefined, verdict: 'allowed' },
  { field: 'spec.someLaterField', value: 'x', verdict: 'refused' },
];

function withChange({ field, value }: (typeof CHANGES)[number], from: ManagedCluster): KubeObject {
  const [part = '', name = ''] = field.split('.');
  return changed((draft) => {
    const target = draft[part as 'metadata' | 'spec'];
    if (value === undefined) delete target[name];
    else target[name] = value;
  }, from);
}

describe('AT-17 AT-49 a cluster writes its own ManagedCluster', () => {
  it.each(CHANGES)('update of $field to $value: $verdict', (change) => {
    const object = withChange(change, STANDING);
    const outcome = write(object, STANDING, AGENT);
    expect(outcome.verdict).toBe(change.verdict);
    if (change.verdict === 'refused') expect(outcome.message).toContain(change.field);
    if (change.verdict === 'kept') {
      expect(outcome.object.metadata.labels).toEqual(STANDING.metadata.labels);
      const { 'agent.open-cluster-management.io/version': _, ...annotations } = outcome.object.metadata.annotations ?? {};
      expect(annotations).toEqual({ 'outrigger.dev/agent-key': 'k' });
    }
  });

  it('the table names every field of the spec that the schema has', () => {
    const definition = KIND_DEFINITIONS.filter(({ kind }) => kind === 'ManagedCluster').map((kind) => customResourceDefinition(kind));
    const schema = definition[0]?.spec.versions[0]?.schema.openAPIV3Schema as { properties: { spec: { properties: object } } } | undefined;
    const names = Object.keys(schema?.properties.spec.properties ?? {});
    expect(names).not.toEqual([]);
    const tried = new Set(CHANGES.map(({ field }) => field));
    for (const name of names) expect(tried).toContain(`spec.${name}`);
  });

  it.each(CHANGES.filter(({ value, field }) => value !== undefined && !Array.isArray(value) && field !== 'spec.hubAcceptsClient'))(
    'creation with $field $value: $verdict',
    (change) => {
      for (const joining of CLUSTERS) {
        const outcome = write(withChange(change, fresh()), undefined, joining);
        expect(outcome.verdict).toBe(change.field === 'metadata.annotations' && change.verdict === 'allowed' ? 'kept' : change.verdict);
        expect(outcome.object.metadata.labels ?? {}).toEqual({ 'cluster.open-cluster-management.io/clusterset': 'default' });
        for (const key of Object.keys(outcome.object.metadata.annotations ?? {}))
          expect(key).toMatch(/^agent\.open-cluster-management\.io\//);
      }
    },
  );

  it.each(CLUSTERS)('AT-17 no identity of a cluster sets a label: $username $groups', (userInfo) => {
    const labelled = withChange({ field: 'metadata.labels', value: { env: 'prod' }, verdict: 'kept' }, STANDING);
    expect(write(labelled, STANDING, userInfo).object.metadata.labels).toEqual(STANDING.metadata.labels);
    // The review also rejects the write if the API server did not call the mutating webhook.
    expect(review({ ...writing(labelled, STANDING), userInfo }, hub, settings)).toMatchObject({ allowed: false, reason: 'Forbidden' });
  });

  it.each(PEOPLE)('$username may write every field that its rights allow', (userInfo) => {
    for (const change of CHANGES.filter(({ field }) => field !== 'spec.taints')) {
      expect(write(withChange(change, STANDING), STANDING, userInfo).warnings).toEqual([]);
      expect(write(withChange(change, STANDING), STANDING, userInfo).message).not.toContain('identity of a managed cluster');
    }
  });

  it("AT-17 accepts the requests of upstream's agents: creation, a new address, an object sent back as it was read", () => {
    const created = changed((draft) => {
      draft.metadata['annotations'] = { 'agent.open-cluster-management.io/cluster-import': 'x' };
      draft.spec = {
        hubAcceptsClient: false,
        leaseDurationSeconds: 60,
        managedClusterClientConfigs: [{ url: 'https://c1', caBundle: 'Yg==' }],
      };
    }, fresh());
    expect(write(created, undefined, AGENT).verdict).toBe('allowed');
    const moved = changed((draft) => (draft.spec['managedClusterClientConfigs'] = [{ url: 'https://new' }]));
    expect(write(moved, STANDING, AGENT).verdict).toBe('allowed');
    const withoutTimes = changed((draft) => (draft.spec['taints'] = [{ key: 'k', value: 'v', effect: 'NoSelect' }]));
    expect(write(withoutTimes, STANDING, AGENT).verdict).toBe('allowed');
    expect(write(structuredClone(STANDING), STANDING, AGENT).verdict).toBe('allowed');
  });

  it('labels an administrator allows by prefix are the cluster’s own', () => {
    const allowed = { ...settings, agentLabelPrefixes: ['location.example.com/'] };
    const labels = { ...STANDING.metadata.labels, 'location.example.com/site': 'north', env: 'prod' };
    const { verdict, object } = write(
      withChange({ field: 'metadata.labels', value: labels, verdict: 'kept' }, STANDING),
      STANDING,
      AGENT,
      allowed,
    );
    expect(verdict).toBe('kept');
    expect(object.metadata.labels).toEqual({ ...STANDING.metadata.labels, 'location.example.com/site': 'north' });
  });

  it('is judged in the same way, however deep its managedFields are nested', () => {
    let fieldsV1 = {};
    for (let level = 0; level < 1_000; level++) fieldsV1 = { 'f:a': fieldsV1 };
    const withFields = <T extends KubeObject>(cluster: T): T => ({
      ...cluster,
      metadata: { ...cluster.metadata, managedFields: [{ operation: 'Update', fieldsType: 'FieldsV1', fieldsV1 }] },
    });
    for (const change of CHANGES.filter(({ verdict }) => verdict !== 'kept'))
      for (const old of [STANDING, withFields(STANDING)])
        expect(write(withFields(withChange(change, STANDING)), old, AGENT).verdict).toBe(change.verdict);
  });

  it.each([undefined, 'text', 7, [], { a: 1 }])('survives labels of the wrong shape: %j', (value) => {
    const object = changed((draft) => (draft.metadata['labels'] = value));
    expect(write(object, STANDING, AGENT).object.metadata.labels).toEqual(STANDING.metadata.labels);
  });
});

describe('AT-17 the webhook is called for clusters', () => {
  const expression = compileExpression(clusterIdentityExpression(settings), { variables: { request: 'dyn' }, result: 'bool' });
  const matches = (userInfo: UserInfo): unknown => expression.evaluate({ request: { userInfo } }, new CostPool(1_000_000));

  it.each(CLUSTERS)('$username $groups', (userInfo) => {
    expect(isClusterIdentity(userInfo, settings)).toBe(true);
    expect(matches(userInfo)).toBe(true);
  });

  it.each(PEOPLE)('not of $username', (userInfo) => expect(isClusterIdentity(userInfo, settings)).toBe(false));

  it('not of people, so that they do not depend on it', () => {
    expect(matches(PEOPLE[0] as UserInfo)).toBe(false);
    expect(matches(PEOPLE[1] as UserInfo)).toBe(false);
  });
});
