import { describe, expect, it } from 'vitest';
import type { AddOnTemplate, HubPermission } from '../generated/addon.js';
import { addOn, brief, hubWith, SETTINGS, TEMPLATES, template, writing } from './fixtures.js';
import { review } from './review.js';

const holding = (...manifests: readonly Record<string, unknown>[]): AddOnTemplate =>
  template('t', 'a', 'v1', { agentSpec: { workload: { manifests: manifests as never } } });
const configMap = (data: unknown, name: unknown = 'cm'): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
const permitting = (...hubPermissions: readonly HubPermission[]): AddOnTemplate =>
  template('t', 'a', 'v1', { registration: [{ type: 'KubeClient', kubeClient: { hubPermissions } }] });
const role = (kind: 'Role' | 'ClusterRole') => ({ apiGroup: 'rbac.authorization.k8s.io' as const, kind, name: 'r' });

describe('AT-16 AddOnTemplate: the executor', () => {
  const executor = { subject: { type: 'ServiceAccount' as const, serviceAccount: { namespace: 'ns', name: 'sa' } } };
  const other = { subject: { type: 'ServiceAccount' as const, serviceAccount: { namespace: 'ns', name: 'other' } } };
  const executing = (one?: typeof executor, name = 'cm'): AddOnTemplate =>
    template('t', 'a', 'v1', { agentSpec: { workload: { manifests: [configMap({}, name)] as never }, ...(one ? { executor: one } : {}) } });

  it.each([
    { name: 'set at creation', before: undefined, after: executing(executor), want: 'system:serviceaccount:ns:sa' },
    { name: 'set', before: executing(), after: executing(executor), want: 'system:serviceaccount:ns:sa' },
    { name: 'changed', before: executing(other), after: executing(executor), want: 'system:serviceaccount:ns:sa' },
    { name: 'removed', before: executing(executor), after: executing(), want: 'system:serviceaccount::klusterlet-work-sa' },
    { name: 'kept', before: executing(executor), after: executing(executor, 'another'), want: undefined },
    { name: 'absent', before: undefined, after: executing(), want: undefined },
  ])('that is $name needs execute-as $want on all clusters', ({ before, after, want }) => {
    const requires = want === undefined ? 'ok' : `if execute-as manifestworks ${want}`;
    expect(brief(review(writing(after, before), hubWith({}), SETTINGS))).toBe(requires);
  });

  it('that is absent needs the right of the agent if the hub checks missing executors', () => {
    const settings = { ...SETTINGS, checkMissingExecutor: true };
    expect(brief(review(writing(executing()), hubWith({}), settings))).toBe(
      'if execute-as manifestworks system:serviceaccount::klusterlet-work-sa',
    );
  });
});

describe('AddOnTemplate: parsing', () => {
  it.each([
    { name: 'variables', object: holding(configMap({ '{{KEY}}': 'a {{ VALUE }} b' })), want: 'ok' },
    { name: 'escaped braces', object: holding(configMap({ rule: '\\{{ $labels.instance }}' })), want: 'ok' },
    {
      name: 'an expression',
      object: holding(configMap({ 'a.b': '{{ .Values.x }}' })),
      want: 'spec.agentSpec.workload.manifests[0].data[a.b]: "{{.Values.x}}" is not a variable (write \\{{ for two literal braces)',
    },
    {
      name: 'an open variable in a key',
      object: holding(configMap({}), configMap({ '{{OPEN': 'x' }, 'second')),
      want: 'spec.agentSpec.workload.manifests[1].data[{{OPEN]: "{{" is not closed by "}}" (write \\{{ for two literal braces)',
    },
    {
      name: 'a manifest without a name',
      object: holding(configMap({}, '')),
      want: 'spec.agentSpec.workload.manifests[0].metadata.name: every manifest needs a name',
    },
    {
      name: 'a label that YAML read as a boolean',
      object: holding(configMap({}), { ...configMap({}), metadata: { name: 'second', labels: { tier: 'a', 'example.com/on': true } } }),
      want: 'spec.agentSpec.workload.manifests[1].metadata.labels[example.com/on]: is not a string: put the value in quotes',
    },
    {
      name: 'a label without a value, which an API server reads as empty',
      object: holding({ ...configMap({}), metadata: { name: 'first', labels: { tier: null } } }),
      want: 'ok',
    },
    {
      name: 'an annotation that YAML read as a number',
      object: holding({ ...configMap({}), metadata: { name: 'first', annotations: { version: 1.1 } } }),
      want: 'spec.agentSpec.workload.manifests[0].metadata.annotations.version: is not a string: put the value in quotes',
    },
    {
      name: 'an integer that would be changed on its way',
      object: holding(configMap({}), { ...configMap({}, 'second'), spec: { quota: [1, 2 ** 53 + 2] } }),
      want: 'spec.agentSpec.workload.manifests[1].spec.quota[1]: is an integer beyond ±9007199254740991, which cannot be passed on exactly: use a smaller number, or a string',
    },
    {
      name: 'more than a revision can hold',
      object: holding(configMap({ big: 'x'.repeat(1024 * 1024) })),
      want: /^spec.agentSpec.workload.manifests: \d+ bytes of manifests; a template may hold 1048576$/,
    },
  ])('of $name', ({ object, want }) => {
    const text = brief(review(writing(object), hubWith({}), SETTINGS));
    if (typeof want === 'string') expect(text).toBe(want);
    else expect(text).toMatch(want);
  });

  it('lets a broken template be labelled', () => {
    const broken = holding(configMap({ a: '{{' }));
    const labelled = { ...broken, metadata: { ...broken.metadata, annotations: { a: 'b' } } };
    expect(brief(review(writing(labelled, broken), hubWith({}), SETTINGS))).toBe('ok');
  });

  it.each([1_000, 100_000])('refuses nesting of %i levels', (levels) => {
    let deep: unknown = 'x';
    for (let i = 0; i < levels; i++) deep = { a: deep };
    const object = holding(configMap(deep));
    expect(brief(review(writing(object), hubWith({}), SETTINGS))).toMatch(
      /^spec\.agentSpec\.workload\.manifests\[0\]\.data\.a.*: nested deeper than 200 levels$/,
    );
    expect(brief(review(writing(object, object), hubWith({}), SETTINGS))).toBe('ok');
    expect(brief(review(writing(holding(configMap('x')), object), hubWith({}), SETTINGS))).toBe('ok');
  });
});

describe('AddOnTemplate: identity', () => {
  const hub = hubWith({
    addOns: [addOn('a', { supportedConfigs: [{ ...TEMPLATES, defaultConfig: { name: 'used' } }] })],
    templates: [template('first', 'a', 'v1')],
  });

  it.each([
    {
      name: 'a second template of the same version',
      object: template('second', 'a', 'v1'),
      want: 'metadata.labels[open-cluster-management.io/addon-version]: version v1 of the add-on a is the AddOnTemplate first already',
    },
    { name: 'the same version of another add-on', object: template('second', 'b', 'v1'), want: 'ok' },
    { name: 'another version', object: template('second', 'a', 'v2'), want: 'ok' },
    { name: 'no version at all', object: template('second', 'a'), want: 'ok' },
    {
      name: 'the placeholder as a version',
      object: template('second', 'a', 'unknown'),
      want: 'metadata.labels[open-cluster-management.io/addon-version]: `unknown` is what the status says of a version in motion; choose another',
    },
  ])('$name', ({ object, want }) => {
    expect(brief(review(writing(object), hub, SETTINGS))).toBe(want);
  });

  it('warns about a template that another add-on uses', () => {
    expect(review(writing(template('used', 'b')), hub, SETTINGS)).toEqual({
      allowed: true,
      warnings: ['spec.addonName: the add-on a uses this template, which is of the add-on b'],
    });
  });

  it('tolerates a stored duplicate version while it is not changed', () => {
    const twin = template('second', 'a', 'v1');
    const edited = template('second', 'a', 'v1', { agentSpec: { deleteOption: { propagationPolicy: 'Orphan' } } });
    expect(brief(review(writing(edited, twin), hub, SETTINGS))).toBe('ok');
  });
});

describe('AddOnTemplate: its author', () => {
  it.each([
    {
      name: 'a ClusterRole for every cluster',
      permission: { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'r' } },
      want: 'if bind clusterroles r',
    },
    {
      name: 'the same in the shape of the seed',
      permission: { type: 'CurrentCluster', roleRef: role('ClusterRole') },
      want: 'if bind clusterroles r',
    },
    {
      name: 'a Role of one namespace',
      permission: { type: 'SingleNamespace', singleNamespace: { namespace: 'ns', roleRef: role('Role') } },
      want: 'if bind roles ns/r',
    },
    {
      name: 'the same in the shape of the seed',
      permission: { type: 'SingleNamespace', roleRef: role('ClusterRole'), singleNamespace: { namespace: 'ns' } },
      want: 'if bind clusterroles ns/r',
    },
  ] as const)('must be allowed to bind $name', ({ permission, want }) => {
    expect(brief(review(writing(permitting(permission)), hubWith({}), SETTINGS))).toBe(want);
  });

  it.each([
    { name: 'as named', signingCA: { namespace: 'ns', name: 'ca' }, want: 'if get secrets ns/ca' },
    { name: "in the manager's namespace by default", signingCA: { name: 'ca' }, want: 'if get secrets manager/ca' },
  ])('must be allowed to read the signing CA, $name', ({ signingCA, want }) => {
    const object = template('t', 'a', 'v1', {
      registration: [{ type: 'CustomSigner', customSigner: { signerName: 'x.io/y', signingCA } }],
    });
    expect(brief(review(writing(object), hubWith({}), SETTINGS))).toBe(want);
  });

  it('is checked again when the rights would go to another add-on', () => {
    const before = permitting({ type: 'CurrentCluster', roleRef: role('ClusterRole') });
    const after = { ...before, spec: { ...before.spec, addonName: 'mine' } };
    expect(brief(review(writing(after, before), hubWith({}), SETTINGS))).toBe('if bind clusterroles r');
  });

  it.each([
    {
      name: 'everywhere',
      permission: { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'r' } },
      want: 'kubectl create clusterrole bind-r --verb=bind --resource=clusterroles.rbac.authorization.k8s.io --resource-name=r && kubectl create clusterrolebinding bind-r --clusterrole=bind-r --user=jane',
    },
    {
      name: 'in one namespace, with shell quoting',
      permission: { type: 'SingleNamespace', singleNamespace: { namespace: 'ns', roleRef: { kind: 'Role', name: "r';reboot" } } },
      want: `kubectl create role 'bind-r'\\'';reboot' --namespace=ns --verb=bind --resource=roles.rbac.authorization.k8s.io --resource-name='r'\\'';reboot' && kubectl create rolebinding 'bind-r'\\'';reboot' --namespace=ns --role='bind-r'\\'';reboot' --user=jane`,
    },
  ] as const)('is told the command that grants the right $name', ({ permission, want }) => {
    const result = review(writing(permitting(permission)), hubWith({}), SETTINGS);
    expect(result.allowed && result.requires?.[0]?.denied).toContain(`An administrator can allow it: ${want}`);
  });

  it('is not checked again if the registrations do not change', () => {
    const before = permitting({ type: 'CurrentCluster', roleRef: role('ClusterRole') });
    const after = { ...before, spec: { ...before.spec, agentSpec: { deleteOption: { propagationPolicy: 'Orphan' as const } } } };
    expect(brief(review(writing(after, before), hubWith({}), SETTINGS))).toBe('ok');
  });
});
