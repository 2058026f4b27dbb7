import { describe, it } from 'vitest';
import { type Case, check, addOn, installed, c1 } from './fixtures.js';

const cases: readonly Case[] = [
  {
    name: 'an add-on that no manager renders',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Configured True ConfigurationsConfigured x', 'Progressing True Installing Installing addon.')],
    },
    verdict: 'blocked',
    cause: /no manager renders hello/,
    hint: /AddOnTemplate with addonName hello/,
  },
  {
    name: 'an add-on that no manager renders and whose agent, installed by other means, renews its lease',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [
        installed('hello', 'c1', 'Configured True ConfigurationsConfigured x', 'Available True ManagedClusterAddOnLeaseUpdated x'),
      ],
    },
    verdict: 'available',
  },
];

describe('why: the renderer', () => {
  it.each(cases)('$name', check);
});
