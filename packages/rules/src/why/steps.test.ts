import { describe, it } from 'vitest';
import { type Case, check, addOn, installed, c1 } from './fixtures.js';

const cases: readonly Case[] = [
  {
    name: 'a version that no template provides',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing False Failed could not upgrade to invalid version v9')],
    },
    verdict: 'blocked',
    cause: /invalid version v9/,
    hint: /upgrade hello --cluster \S+ --to \S+|create an AddOnTemplate of that version for hello/,
  },
  {
    name: 'a variable that is not defined',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing False Failed Deployment x: variable COLOR is not defined')],
    },
    verdict: 'blocked',
    cause: /COLOR/,
    hint: /customizedVariables/,
  },
  {
    name: 'a missing configuration is reported before its consequences',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [
        installed(
          'hello',
          'c1',
          'Configured False ConfigurationNotFound Configuration x is not found',
          'Progressing False Failed render failed',
        ),
      ],
    },
    verdict: 'blocked',
    cause: /ConfigurationNotFound/,
  },
  {
    name: 'a config of the declaration that does not exist',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [
        installed('hello', 'c1', 'Configured False ConfigurationNotFound Configuration addondeploymentconfigs/default/nope is not found'),
      ],
    },
    verdict: 'blocked',
    cause: /nope is not found/,
    hint: /^create addondeploymentconfigs\/default\/nope, or correct the reference: kubectl edit clustermanagementaddon hello$/,
  },
  {
    name: 'a config of the add-on on one cluster that does not exist',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [
        {
          ...installed('hello', 'c1', 'Configured False ConfigurationNotFound Configuration addondeploymentconfigs/c1/own is not found'),
          spec: {
            configs: [{ group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', namespace: 'c1', name: 'own' }],
          },
        },
      ],
    },
    verdict: 'blocked',
    cause: /own is not found/,
    hint: /kubectl edit managedclusteraddon hello -n c1$/,
  },
];

describe('why: the steps that the add-on reports', () => {
  it.each(cases)('$name', check);
});
