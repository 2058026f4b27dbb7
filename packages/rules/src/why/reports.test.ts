import type { ManifestWork } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { EMPTY } from './snapshot.js';
import { type Case, check, addOn, installed, work, c1, well } from './fixtures.js';
import { explain } from './why.js';

const cases: readonly Case[] = [
  {
    name: 'done, but its pods do not run',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing False Succeed x', 'Available False ProbeUnavailable Probe addon unavailable')],
    },
    verdict: 'unavailable',
    cause: /Available is False \(ProbeUnavailable\)/,
    hint: /^outrigger render hello --cluster c1$/,
  },
  {
    name: 'each manifest that the agent could not apply; the first is the cause',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing True Installing x')],
      works: [
        work('hello', 'c1', [
          { name: 'ConfigMap nodelog/config', refused: 'Failed to apply manifest: namespaces "x" not found' },
          { name: 'Widget nodelog/w', refused: 'Failed to apply manifest: the server doesn\'t have a resource type "Widget"' },
        ]),
      ],
    },
    verdict: 'blocked',
    cause: /^ConfigMap nodelog\/config: Failed to apply manifest: namespaces "x" not found$/,
    hint: /^add the Namespace x to the template, or create it on c1: kubectl create namespace x$/,
  },
  {
    name: 'an error of earlier content is not the cause',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', ...well)],
      works: [work('hello', 'c1', [{ name: 'ConfigMap nodelog/config', refused: 'namespaces "x" not found', generation: 1 }], 2)],
    },
    verdict: 'available',
  },
  {
    name: 'a workload that starts: which, replicas, since when',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing True Installing x')],
      works: [work('hello', 'c1', [{ name: 'Deployment ns/web', values: { DesiredReplicas: 2, AvailableReplicas: 1, Replicas: 2 } }])],
    },
    verdict: 'waiting',
    cause: /^Deployment ns\/web: 1 of 2 replicas available since 2026-01-01T00:00:00Z$/,
    hint: /^on c1: kubectl describe deployments web -n ns$/,
  },
  {
    name: 'a workload that is updated and whose new pods cannot start: the old pods and the reason',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing True Upgrading x', 'Available True ProbeAvailable x')],
      works: [
        work('hello', 'c1', [
          {
            name: 'Deployment ns/web',
            values: {
              DesiredReplicas: 1,
              Replicas: 2,
              UpdatedReplicas: 1,
              AvailableReplicas: 1,
              NotReadyReason: 'container c is waiting: E',
            },
          },
        ]),
      ],
    },
    verdict: 'blocked',
    cause: /^Deployment ns\/web: 1 of 1 replicas available, but 1 old pod is not replaced since \S+: container c is waiting: E$/,
  },
  {
    name: 'a workload of which only a part is updated',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing True Upgrading x', 'Available True ProbeAvailable x')],
      works: [
        work('hello', 'c1', [
          { name: 'Deployment ns/web', values: { DesiredReplicas: 2, Replicas: 2, UpdatedReplicas: 1, AvailableReplicas: 2 } },
        ]),
      ],
    },
    verdict: 'waiting',
    cause: /^Deployment ns\/web: 2 of 2 replicas available, 1 of them updated since \S+$/,
  },
  {
    name: 'a workload whose pods cannot start: the reason that the agent reports',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing True Installing x')],
      works: [
        work('hello', 'c1', [
          {
            name: 'Deployment ns/web',
            values: {
              DesiredReplicas: 2,
              Replicas: 2,
              NotReadyReason: 'container web is waiting: ImagePullBackOff: Back-off pulling image "x"',
            },
          },
        ]),
      ],
    },
    verdict: 'blocked',
    cause:
      /^Deployment ns\/web: 0 of 2 replicas available since \S+: container web is waiting: ImagePullBackOff: Back-off pulling image "x"$/,
  },
  {
    name: 'a missed deadline, down to the workload, and no command for the whole fleet',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing False Failed deployments ns/web exceeded its progress deadline')],
      works: [
        work('hello', 'c1', [
          { name: 'Deployment ns/web', values: { DesiredReplicas: 1, Replicas: 1, ProgressingReason: 'ProgressDeadlineExceeded' } },
        ]),
      ],
    },
    verdict: 'blocked',
    cause: /^Deployment ns\/web: 0 of 1 replicas available since \S+: it exceeded its progress deadline$/,
    hint: /^on c1: kubectl describe deployments web -n ns$/,
  },
  {
    name: 'an add-on that was available and whose pods are gone, with the workload as the cause',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [installed('hello', 'c1', 'Progressing False Succeed x', 'Available False ProbeUnavailable Probe addon unavailable')],
      works: [work('hello', 'c1', [{ name: 'DaemonSet ns/log', values: { DesiredNumberScheduled: 3, NumberAvailable: 1 } }])],
    },
    verdict: 'unavailable',
    cause: /^DaemonSet ns\/log: 1 of 3 pods available$/,
  },
];

describe('why: the reports of works', () => {
  it.each(cases)('$name', check);

  it('names objects that are also in a work of another add-on, and not the Namespaces that add-ons share', () => {
    const both = [{ name: 'Namespace default/tools' }, { name: 'ConfigMap default/shared' }];
    const given = { managementAddOns: [addOn('hello'), addOn('other')], clusters: [c1], installed: [installed('hello', 'c1', ...well)] };
    const notes = (...others: readonly ManifestWork[]): readonly string[] =>
      explain({ ...EMPTY, ...given, works: [work('hello', 'c1', both), ...others] }, 'hello', 'c1')
        .links.filter(({ type }) => type === 'note')
        .map(({ text }) => text);
    expect(notes(work('other', 'c1', both))).toEqual([expect.stringMatching(/^ConfigMap default\/shared is also an object of other: /)]);
    expect(notes(work('other', 'c2', both), work('other', 'c1', [{ name: 'Secret default/shared' }]))).toEqual([]);
  });
});
