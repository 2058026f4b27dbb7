import { describe, expect, it } from 'vitest';
import { EMPTY } from './snapshot.js';
import { explain } from './why.js';
import { type Case, check, addOn, conditions, installed, c1, well } from './fixtures.js';

const cases: readonly Case[] = [
  {
    name: 'an add-on that is not declared, with a similar name',
    given: { managementAddOns: [addOn('helo')] },
    verdict: 'absent',
    cause: /no add-on "hello": did you mean "helo"/,
  },
  {
    name: 'on its way',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing True Installing Installing addon version v1.')],
    },
    verdict: 'waiting',
    cause: /Installing addon version v1/,
  },
  {
    name: 'a manager that cannot store content',
    given: {
      managementAddOns: [
        {
          ...addOn('hello'),
          status: { conditions: conditions('TargetsResolved False ContentNotStored create it: kubectl create namespace hub') },
        },
      ],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Configured False ConfigurationsNotConfigured x')],
    },
    verdict: 'blocked',
    cause: /ContentNotStored.*kubectl create namespace hub/,
  },
  {
    name: 'all is well',
    given: { managementAddOns: [addOn('hello')], clusters: [c1], installed: [installed('hello', 'c1', ...well)] },
    verdict: 'available',
  },
];

describe('why: one causal chain', () => {
  it.each(cases)('$name', check);

  it.each([
    { name: 'says that the works may hold the cause', unreadable: ['manifestworks'], report: ['Progressing True Installing x'], notes: 1 },
    { name: 'says nothing about works that it may read', unreadable: ['placements'], report: ['Progressing True Installing x'], notes: 0 },
    { name: 'says nothing about works if all is well', unreadable: ['manifestworks'], report: well, notes: 0 },
  ])('$name', ({ unreadable, report, notes }) => {
    const given = { managementAddOns: [addOn('hello')], clusters: [c1], installed: [installed('hello', 'c1', ...report)], unreadable };
    const { links } = explain({ ...EMPTY, ...given }, 'hello', 'c1');
    expect(links.filter(({ type, text }) => type === 'note' && text.includes('your rights do not include the ManifestWorks'))).toHaveLength(
      notes,
    );
  });
});
