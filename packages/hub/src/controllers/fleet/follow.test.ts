import { INSTALLED_SPEC_ANNOTATION, type InstallTemplate, type ManagedClusterAddOn } from '@outrigger/api';
import type { Action } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import type { AddOnProjection } from '@outrigger/rules/observed';
import { addOns } from '../../resources/add-ons.js';
import { installedSpec, isUserOwned } from '@outrigger/rules/strategy';
import { follow } from './follow.js';

const CONFIGS = [{ group: 'g', resource: 'r', name: 'one' }];
type Owner = 'create' | 'apply' | 'person' | 'restore';
const MANAGERS: Record<Owner, { manager: string; operation: 'Update' | 'Apply' }> = {
  create: { manager: 'outrigger-installer', operation: 'Update' },
  apply: { manager: 'outrigger-installer', operation: 'Apply' },
  person: { manager: 'kubectl-edit', operation: 'Update' },
  restore: { manager: 'velero', operation: 'Update' },
};

/** An add-on with these fields, each owned by the given field managers. */
function record(
  spec: InstallTemplate,
  owners: Partial<Record<Owner, readonly string[]>>,
  mark: InstallTemplate | undefined = spec,
): AddOnProjection {
  const markField = { 'f:metadata': { 'f:annotations': { [`f:${INSTALLED_SPEC_ANNOTATION}`]: {} } } };
  const managedFields = Object.entries(owners).map(([owner, fields]) => ({
    ...MANAGERS[owner as Owner],
    fieldsV1: {
      'f:spec': Object.fromEntries(fields.filter((field) => field !== 'mark').map((field) => [`f:${field}`, {}])),
      ...(fields.includes('mark') ? markField : {}),
    },
  }));
  const clusterAddOn: ManagedClusterAddOn = {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: {
      name: 'hello',
      namespace: 'c1',
      uid: 'u',
      resourceVersion: '7',
      managedFields,
      ...(mark ? { annotations: { [INSTALLED_SPEC_ANNOTATION]: installedSpec(mark) } } : {}),
    },
    spec: { installNamespace: 'ns', ...spec },
  };
  return addOns.project(clusterAddOn, (value) => value);
}

function brief(actions: readonly Action[]): string {
  return actions
    .map((action) => {
      if (action.type === 'apply')
        return `apply${action.force ? ' with force' : ''} ${JSON.stringify((action.object as ManagedClusterAddOn).spec)}`;
      return action.type === 'patch' ? `patch ${JSON.stringify(action.patch['spec'])}` : action.type;
    })
    .join();
}

describe('add-ons of the installer follow the strategy, field by field', () => {
  const cases: { name: string; clusterAddOn: AddOnProjection; template: InstallTemplate; want: string }[] = [
    {
      name: 'an equal field needs nothing',
      clusterAddOn: record({ installVersion: 'v1' }, { create: ['installVersion', 'mark'] }),
      template: { installVersion: 'v1' },
      want: '',
    },
    {
      name: 'a new value takes over from our own create',
      clusterAddOn: record({ installVersion: 'v1' }, { create: ['installVersion', 'mark'] }),
      template: { installVersion: 'v2' },
      want: 'apply with force {"installNamespace":"ns","installVersion":"v2"}',
    },
    {
      name: 'later ones need no force',
      clusterAddOn: record({ installVersion: 'v1' }, { apply: ['installVersion', 'mark'] }),
      template: { installVersion: 'v2' },
      want: 'apply {"installNamespace":"ns","installVersion":"v2"}',
    },
    {
      name: "a person's value stays",
      clusterAddOn: record({ installVersion: 'v7' }, { create: ['mark'], person: ['installVersion'] }, { installVersion: 'v1' }),
      template: { installVersion: 'v2' },
      want: '',
    },
    {
      name: 'the other field follows all the same',
      clusterAddOn: record({ installVersion: 'v7', configs: CONFIGS }, { apply: ['configs', 'mark'], person: ['installVersion'] }),
      template: { installVersion: 'v2', configs: [{ group: 'g', resource: 'r', name: 'two' }] },
      want: 'apply {"installNamespace":"ns","configs":[{"group":"g","resource":"r","name":"two"}]}',
    },
    {
      name: 'a field a person removed returns',
      clusterAddOn: record({}, { apply: ['mark'] }, { installVersion: 'v1' }),
      template: { installVersion: 'v1' },
      want: 'apply {"installNamespace":"ns","installVersion":"v1"}',
    },
    {
      name: 'a dropped field owned by an apply is removed by the next apply',
      clusterAddOn: record({ installVersion: 'v1', configs: CONFIGS }, { apply: ['installVersion', 'configs', 'mark'] }),
      template: { configs: CONFIGS },
      want: 'apply {"installNamespace":"ns","configs":[{"group":"g","resource":"r","name":"one"}]}',
    },
    {
      name: 'a dropped field owned by our create is removed by a patch',
      clusterAddOn: record({ installVersion: 'v1' }, { create: ['installVersion', 'mark'] }),
      template: {},
      want: 'patch {"installVersion":null}',
    },
    {
      name: 'a dropped field a person holds too stays theirs',
      clusterAddOn: record({ installVersion: 'v1' }, { apply: ['installVersion', 'mark'], person: ['installVersion'] }),
      template: {},
      want: '',
    },
    {
      name: 'after a restore the fields are taken back, once, with force',
      clusterAddOn: record({ installVersion: 'v1', configs: CONFIGS }, { restore: ['installVersion', 'configs', 'mark'] }),
      template: { installVersion: 'v1', configs: CONFIGS },
      want: 'apply with force {"installNamespace":"ns","installVersion":"v1","configs":[{"group":"g","resource":"r","name":"one"}]}',
    },
    {
      name: 'and then rest',
      clusterAddOn: record({ installVersion: 'v1' }, { restore: ['installVersion', 'mark'], apply: ['installVersion', 'mark'] }),
      template: { installVersion: 'v1' },
      want: '',
    },
    {
      name: 'and then follow',
      clusterAddOn: record({ installVersion: 'v1' }, { restore: ['installVersion', 'mark'], apply: ['installVersion', 'mark'] }),
      template: { installVersion: 'v2' },
      want: 'apply with force {"installNamespace":"ns","installVersion":"v2"}',
    },
    {
      name: 'a restored edit is still an edit',
      clusterAddOn: record({ installVersion: 'v7' }, { restore: ['installVersion', 'mark'] }, { installVersion: 'v1' }),
      template: { installVersion: 'v1' },
      want: '',
    },
    { name: 'an add-on that a user created is never written', clusterAddOn: record({}, {}, undefined), template: {}, want: '' },
  ];
  it.each(cases)('$name', ({ clusterAddOn, template, want }) => expect(brief(follow(template)(clusterAddOn))).toBe(want));

  it('never writes an add-on without the mark', () => {
    const addOn = { ...record({ installVersion: 'v1' }, { create: ['installVersion'] }), installedSpec: undefined };
    expect(follow({ installVersion: 'v2' })(addOn)).toEqual([]);
  });

  it('contains the observed uid and resourceVersion, so that a stale cache overwrites nothing', () => {
    const [action] = follow({ installVersion: 'v2' })(record({ installVersion: 'v1' }, { apply: ['installVersion', 'mark'] }));
    expect(action).toMatchObject({ fieldManager: 'outrigger-installer', object: { metadata: { uid: 'u', resourceVersion: '7' } } });
  });

  it('updates the mark when it removes a field, so that a restored backup is still recognised', () => {
    const [action] = follow({ configs: CONFIGS })(
      record({ installVersion: 'v1', configs: CONFIGS }, { create: ['installVersion', 'configs', 'mark'] }),
    );
    expect(action).toMatchObject({
      patch: {
        metadata: { annotations: { [INSTALLED_SPEC_ANNOTATION]: installedSpec({ configs: CONFIGS }) } },
        spec: { installVersion: null },
      },
    });
  });

  it('distinguishes fields that a user owns', () => {
    const of = (clusterAddOn: AddOnProjection): boolean => isUserOwned(clusterAddOn, 'installVersion');
    expect([
      of(record({ installVersion: 'v1' }, { create: ['installVersion', 'mark'] })),
      of(record({ installVersion: 'v7' }, { apply: ['mark'], person: ['installVersion'] })),
      of(record({ installVersion: 'v1' }, { restore: ['installVersion', 'mark'] })),
      of(record({ installVersion: 'v7' }, { restore: ['installVersion', 'mark'] }, { installVersion: 'v1' })),
    ]).toEqual([false, true, false, true]);
  });
});
