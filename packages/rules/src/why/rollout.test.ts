import { INSTALLED_SPEC_ANNOTATION, INSTALLER_FIELD_MANAGER, type ManagedClusterAddOn } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { EMPTY } from './snapshot.js';
import { explain } from './why.js';
import { type Case, check, addOn, installed, rollout, c1, well } from './fixtures.js';

const cases: readonly Case[] = [
  {
    name: 'a paused rollout, with how to go on',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Configured False ConfigurationsNotConfigured waiting')],
      rollouts: [rollout('hello', { paused: true }, { entries: [{ name: 'labelSelector', targetRevision: 2, state: 'Paused' }] })],
    },
    verdict: 'blocked',
    cause: /revision 2 is paused/,
    hint: /rollout resume hello/,
  },
  {
    name: 'a halted rollout',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Configured False ConfigurationsNotConfigured waiting')],
      rollouts: [
        rollout('hello', {}, { entries: [{ name: 'labelSelector', targetRevision: 2, state: 'Halted', failed: 3, completedRevision: 1 }] }),
      ],
    },
    verdict: 'blocked',
    cause: /halted: 3 clusters failed/,
    hint: /^outrigger why hello names the causes; fix them, or `outrigger rollback hello`$/,
  },
  {
    name: 'a rollout that a problem halts, not a failed cluster',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Configured False ConfigurationsNotConfigured waiting')],
      rollouts: [
        rollout(
          'hello',
          {},
          { entries: [{ name: 'labelSelector', targetRevision: 1, state: 'Halted', failed: 0, message: 'not a duration' }] },
        ),
      ],
    },
    verdict: 'blocked',
    cause: /halted: not a duration$/,
    hint: /fix them$/,
  },
  {
    name: 'a rollout that an analysis halts',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Configured False ConfigurationsNotConfigured waiting')],
      rollouts: [
        rollout(
          'hello',
          {},
          {
            entries: [
              {
                name: 'labelSelector',
                targetRevision: 1,
                state: 'Halted',
                failed: 0,
                message: 'selected 0, done 0, progressing 0, failed 0, skipped 0; 2 measurements were inconclusive',
              },
            ],
          },
        ),
      ],
    },
    verdict: 'blocked',
    cause: /halted: 2 measurements were inconclusive$/,
    hint: /fix them$/,
  },
  {
    name: 'a halted rollout of the first revision, to which no rollback leads back',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Configured False ConfigurationsNotConfigured waiting')],
      rollouts: [rollout('hello', {}, { entries: [{ name: 'labelSelector', targetRevision: 1, state: 'Halted', failed: 1 }] })],
    },
    verdict: 'blocked',
    cause: /halted: 1 cluster failed/,
    hint: /fix them$/,
  },
  {
    name: 'a rollout that is paused with the whole fleet',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Configured False ConfigurationsNotConfigured waiting')],
      rollouts: [rollout('hello', {}, { entries: [{ name: 'labelSelector', targetRevision: 2, state: 'Paused' }] })],
    },
    verdict: 'blocked',
    cause: /revision 2 is paused/,
    hint: /^outrigger resume --all$/,
  },
  {
    name: 'a gate of a policy holds the cluster while the others move',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Configured False ConfigurationsNotConfigured waiting', ...well)],
      rollouts: [
        rollout(
          'hello',
          {},
          {
            entries: [
              {
                name: 'labelSelector',
                targetRevision: 2,
                state: 'Progressing',
                inFlight: [{ cluster: '*', revision: 2, admittedAt: '2026-01-01T00:00:00Z', except: ['c1'] }],
                waitingFor: [{ kind: 'Window', name: 'calm/freeze', message: 'closed for 1 cluster', clusters: 1 }],
              },
            ],
          },
        ),
      ],
    },
    verdict: 'available',
    cause: /not admitted to revision 2: the rollout waits for calm\/freeze \(closed for 1 cluster\)/,
    hint: /rollout status hello/,
  },
  {
    name: 'its turn has not come',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Configured False ConfigurationsNotConfigured waiting', ...well)],
      rollouts: [
        rollout(
          'hello',
          {},
          { entries: [{ name: 'labelSelector', targetRevision: 2, state: 'Progressing', done: 1, selected: 3, progressing: 1 }] },
        ),
      ],
    },
    verdict: 'available',
    cause: /waiting for its turn to go to revision 2: done 1 of 3, in flight \d/,
  },
  {
    name: 'a gate of a policy holds a first installation, which is why no component reports',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [
        installed('hello', 'c1', 'Configured False ConfigurationsNotConfigured waiting', 'RegistrationApplied True NilRegistration none'),
      ],
      rollouts: [
        rollout(
          'hello',
          {},
          {
            entries: [
              {
                name: 'labelSelector',
                targetRevision: 1,
                state: 'Progressing',
                waitingFor: [{ kind: 'Approval', name: 'calm/go', message: 'needs 1 approval', clusters: 1 }],
              },
            ],
          },
        ),
      ],
    },
    verdict: 'waiting',
    cause: /not admitted to revision 1: the rollout waits for calm\/go \(needs 1 approval\)/,
    hint: /rollout status hello/,
  },
  {
    name: 'no component reports, and the rollout does not hold the cluster',
    given: { managementAddOns: [addOn('hello')], clusters: [c1], installed: [installed('hello', 'c1')] },
    verdict: 'waiting',
    cause: /no component has reported yet/,
  },
];

describe('why: the rollout', () => {
  it.each(cases)('$name', check);

  it('names the fields that a user set on the cluster, and not those of the installer', () => {
    const hello = installed('hello', 'c1', ...well);
    const by = (manager: string): ManagedClusterAddOn => ({
      ...hello,
      metadata: {
        ...hello.metadata,
        annotations: { [INSTALLED_SPEC_ANNOTATION]: 'x' },
        managedFields: [{ manager, operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:installVersion': {} } } }],
      },
      spec: { installVersion: 'v1' },
    });
    const notes = (clusterAddOn: ManagedClusterAddOn): readonly string[] =>
      explain({ ...EMPTY, managementAddOns: [addOn('hello')], clusters: [c1], installed: [clusterAddOn] }, 'hello', 'c1')
        .links.filter(({ type }) => type === 'note')
        .map(({ text }) => text);
    expect(notes(by('outrigger-pin-version'))).toEqual(['version v1 is an override on this cluster, which rollouts do not change']);
    expect(notes(by(INSTALLER_FIELD_MANAGER))).toEqual([]);
  });
});
