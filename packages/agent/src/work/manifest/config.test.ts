import type { ManifestConfig } from '@outrigger/api';
import { matchesWildcard } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLUSTER_ROLES, ref } from '../fixtures.js';
import { treatmentOf } from './config.js';

const id = (name: string, over: Partial<ManifestConfig['resourceIdentifier']> = {}): ManifestConfig['resourceIdentifier'] => ({
  resource: 'configmaps',
  namespace: 'ns',
  name,
  ...over,
});
const creating = { updateStrategy: { type: 'CreateOnly' } } as const;
const applying = { updateStrategy: { type: 'ServerSideApply' } } as const;
const rule = { type: 'WellKnownStatus' } as const;

describe('how a manifest is treated', () => {
  const cases: readonly { name: string; configs: readonly ManifestConfig[]; want: string }[] = [
    { name: 'the default is Update', configs: [], want: 'Update' },
    { name: 'an exact match counts', configs: [{ resourceIdentifier: id('settings'), ...creating }], want: 'CreateOnly' },
    { name: 'another name does not', configs: [{ resourceIdentifier: id('other'), ...creating }], want: 'Update' },
    { name: 'another group does not', configs: [{ resourceIdentifier: id('settings', { group: 'apps' }), ...creating }], want: 'Update' },
    { name: 'a star in the name', configs: [{ resourceIdentifier: id('set*s'), ...creating }], want: 'CreateOnly' },
    {
      name: 'a star in the namespace',
      configs: [{ resourceIdentifier: id('settings', { namespace: '*' }), ...creating }],
      want: 'CreateOnly',
    },
    {
      name: 'no namespace matches only none',
      configs: [{ resourceIdentifier: { resource: 'configmaps', name: '*' }, ...creating }],
      want: 'Update',
    },
    {
      name: 'the first rule with a value wins',
      configs: [
        { resourceIdentifier: id('settings') },
        { resourceIdentifier: id('*'), ...applying },
        { resourceIdentifier: id('settings'), ...creating },
      ],
      want: 'ServerSideApply',
    },
  ];
  it.each(cases)('$name', ({ configs, want }) => expect(treatmentOf(configs, ref('settings')).strategy.type).toBe(want));

  it('takes each field from the first entry that has it', () => {
    const conditionRules = [{ condition: 'Ready', type: 'CEL', celExpressions: ['true'] }] as const;
    const configs = [
      { resourceIdentifier: id('*'), feedbackRules: [], conditionRules },
      { resourceIdentifier: id('settings'), feedbackRules: [rule], ...creating },
    ];
    expect(treatmentOf(configs, ref('settings'))).toEqual({ strategy: creating.updateStrategy, feedbackRules: [rule], conditionRules });
  });

  it('an entry without a namespace is for cluster-scoped kinds', () => {
    const resourceIdentifier = { group: CLUSTER_ROLES.group, resource: 'clusterroles', name: 'view' };
    expect(treatmentOf([{ resourceIdentifier, ...creating }], ref('view', CLUSTER_ROLES)).strategy.type).toBe('CreateOnly');
  });
});

describe('wildcards', () => {
  it('agree with a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.'), maxLength: 12 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '*'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (wild, value) => {
        const regex = new RegExp(
          `^${wild
            .split('*')
            .map((part) => part.replaceAll('.', '\\.'))
            .join('.*')}$`,
        );
        expect(matchesWildcard(wild, value)).toBe(regex.test(value));
      }),
      { numRuns: 2000 },
    );
  });

  it('AT-25 take no longer for a hostile pattern', () => {
    expect(matchesWildcard(`${'a*'.repeat(5_000)}b`, 'a'.repeat(50_000))).toBe(false);
  });
});
