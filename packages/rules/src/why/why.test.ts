import type { ManifestWork } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { EMPTY, type Snapshot } from './snapshot.js';
import { causeOf, type Verdict } from '../explanation/chain.js';
import { addOn, cluster, conditions, decision, deleting, installed, marked, placement, rollout, work } from './fixtures.js';
import { explain } from './why.js';

const c1 = cluster('c1', { env: 'prod' }, ['ManagedClusterJoined True ManagedClusterJoined joined']);
const well = ['Available True ProbeAvailable hello add-on is available.', 'Progressing False Succeed install completed with no errors.'];
const placed = (...names: string[]) => ({ type: 'Placements' as const, placements: names.map((name) => ({ namespace: 'default', name })) });

interface Case {
  readonly name: string;
  readonly given: Partial<Snapshot>;
  readonly verdict: Verdict;
  readonly cause?: RegExp;
  readonly hint?: RegExp;
}

const withoutBase = installed(
  'hello',
  'c1',
  "Degraded True RequiredDependencyNotSatisfied Required addon 'base' is not installed or not available",
  'Progressing False Succeed x',
);

const reported = work('hello', 'c1', [{ name: 'ConfigMap default/kept' }]);
const withoutOwner = { ...reported, metadata: { ...reported.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };

const JOINED = ['ManagedClusterJoined True ManagedClusterJoined joined'];
const UNPREPARED = 'HubAcceptedManagedCluster False Error rolebindings/x: no way';
const TERMINATING = 'HubAcceptedManagedCluster False Error the namespace c1 is being deleted and waits for manifestworks w (finalizers f)';

const cases: readonly Case[] = [
  {
    name: 'an add-on that is not declared, with a similar name',
    given: { managementAddOns: [addOn('helo')] },
    verdict: 'absent',
    cause: /no add-on "hello": did you mean "helo"/,
  },
  {
    name: 'a cluster the hub does not know',
    given: { managementAddOns: [addOn('hello')] },
    verdict: 'absent',
    cause: /knows no cluster "c1"/,
  },
  {
    name: 'a cluster that is not accepted',
    given: { managementAddOns: [addOn('hello', { type: 'Manual' })], clusters: [{ ...c1, spec: { hubAcceptsClient: false } }] },
    verdict: 'absent',
    cause: /not accepted cluster c1/,
    hint: /outrigger accept c1/,
  },
  {
    name: 'an accepted cluster that the hub cannot prepare',
    given: { managementAddOns: [addOn('hello')], clusters: [cluster('c1', {}, [...JOINED, UNPREPARED])] },
    verdict: 'blocked',
    cause: /the hub cannot prepare cluster c1 since 2026-01-01T00:00:00Z: rolebindings\/x: no way/,
    hint: /^kubectl describe managedcluster c1$/,
  },
  {
    name: 'a namespace that is being deleted, before its add-ons are gone',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [cluster('c1', {}, [...JOINED, TERMINATING])],
      installed: [deleting(installed('hello', 'c1'))],
      works: [work('hello', 'c1', [])],
    },
    verdict: 'removing',
    cause: /the namespace c1 is being deleted and waits for manifestworks w/,
    hint: /^kubectl describe namespace c1$/,
  },
  {
    name: 'a namespace that is being deleted, after its add-ons are gone',
    given: { managementAddOns: [addOn('hello')], clusters: [cluster('c1', {}, [...JOINED, TERMINATING])] },
    verdict: 'blocked',
    cause: /the namespace c1 is being deleted and waits for manifestworks w/,
    hint: /^kubectl describe namespace c1$/,
  },
  {
    name: 'a namespace that is being deleted, and no agent that could clean up',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [cluster('c1', {}, [TERMINATING, 'ManagedClusterConditionAvailable Unknown X stopped.'])],
    },
    verdict: 'blocked',
    cause: /cluster c1 is not available since .*stopped/,
    hint: /check the agent on c1/,
  },
  {
    name: 'labels that do not match, with their values',
    given: {
      managementAddOns: [addOn('hello', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'dev' } } })],
      clusters: [c1],
    },
    verdict: 'absent',
    cause: /env must be "dev", it is "prod"/,
  },
  {
    name: 'an expression that does not match because the label is absent',
    given: {
      managementAddOns: [
        addOn('hello', { type: 'ClusterLabelSelector', labelSelector: { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] } }),
      ],
      clusters: [c1],
    },
    verdict: 'absent',
    cause: /gpu Exists, it is not set/,
    hint: /^kubectl label managedcluster c1 gpu=$/,
  },
  {
    name: 'a Placement that does not exist',
    given: { managementAddOns: [addOn('hello', placed('p'))], clusters: [c1] },
    verdict: 'absent',
    cause: /Placement default\/p is not found/,
  },
  {
    name: 'a Placement that has not decided',
    given: { managementAddOns: [addOn('hello', placed('p'))], clusters: [c1], placements: [placement('default', 'p')] },
    verdict: 'absent',
    cause: /has no decision yet/,
  },
  {
    name: 'a Placement that chose others',
    given: {
      managementAddOns: [addOn('hello', placed('p'))],
      clusters: [c1],
      placements: [placement('default', 'p')],
      decisions: [decision('default', 'p', ['c2'])],
    },
    verdict: 'absent',
    cause: /does not select cluster c1 \(it selects 1\)/,
  },
  {
    name: 'a cluster that wants no automatic installation',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [
        { ...c1, metadata: { ...c1.metadata, annotations: { 'addon.open-cluster-management.io/disable-automatic-installation': 'true' } } },
      ],
    },
    verdict: 'absent',
    cause: /takes no automatic installations/,
    hint: /kubectl annotate managedcluster c1/,
  },
  {
    name: 'selected, but not created yet',
    given: { managementAddOns: [addOn('hello')], clusters: [c1] },
    verdict: 'waiting',
    cause: /about to be created/,
    hint: /doctor/,
  },
  {
    name: 'strategy Manual, and not installed',
    given: { managementAddOns: [addOn('hello', { type: 'Manual' })], clusters: [c1] },
    verdict: 'absent',
    cause: /strategy Manual/,
    hint: /^outrigger enable hello --cluster c1$/,
  },
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
    cause: /waiting for its turn to go to revision 2: done 1 of 3/,
  },
  {
    name: 'a required dependency that is absent, down to the cause',
    given: {
      managementAddOns: [
        addOn('hello', undefined, [{ name: 'base' }]),
        addOn('base', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'dev' } } }),
      ],
      clusters: [c1],
      installed: [withoutBase],
    },
    verdict: 'blocked',
    cause: /^base: the label selector does not match cluster c1: env must be "dev"/,
    hint: /^kubectl label managedcluster c1 env=dev --overwrite$/,
  },
  {
    name: 'a required dependency that is not installed on the cluster, with the command',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base' }]), addOn('base', { type: 'Manual' })],
      clusters: [c1],
      installed: [withoutBase],
    },
    verdict: 'blocked',
    cause: /^base: strategy Manual: people install it cluster by cluster/,
    hint: /^outrigger enable base --cluster c1$/,
  },
  {
    name: 'a required dependency that is being installed needs no user action',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base' }]), addOn('base')],
      clusters: [c1],
      installed: [withoutBase, installed('base', 'c1', 'Progressing True Installing Installing addon version v1.')],
    },
    verdict: 'waiting',
    cause: /^base: Installing: Installing addon version v1\.$/,
  },
  {
    name: 'a required dependency whose workload is stuck, without the right to read works',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base' }]), addOn('base')],
      clusters: [c1],
      installed: [
        withoutBase,
        installed(
          'base',
          'c1',
          'Progressing False Failed deployments ns/web exceeded its progress deadline: container a: CrashLoopBackOff',
        ),
      ],
    },
    verdict: 'blocked',
    cause: /^base: Progressing is False \(Failed\): deployments ns\/web exceeded/,
    hint: /^on c1: kubectl describe deployments web -n ns$/,
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
  {
    name: 'an add-on that is deleted while a finalizer keeps its objects',
    given: {
      managementAddOns: [addOn('other')],
      clusters: [c1],
      installed: [],
      works: [withoutOwner],
    },
    verdict: 'removing',
    cause: /removes its objects since 2026-01-01T00:00:00Z: ConfigMap default\/kept\. An object with a finalizer stays/,
    hint: /^on c1: kubectl get configmaps kept -n default -o yaml$/,
  },
  {
    name: 'a dependency that is not declared',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base' }])],
      clusters: [c1],
      installed: [installed('hello', 'c1', "Degraded True RequiredDependencyNotSatisfied Required addon 'base' is missing")],
    },
    verdict: 'blocked',
    cause: /there is no add-on "base"/,
  },
  {
    name: 'a cycle ends where it began',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base' }]), addOn('base', undefined, [{ name: 'hello' }])],
      clusters: [c1],
      installed: [
        installed(
          'hello',
          'c1',
          "Degraded True RequiredDependencyNotSatisfied Required addon 'base' is part of a dependency cycle: hello -> base -> hello.",
        ),
        installed(
          'base',
          'c1',
          "Degraded True RequiredDependencyNotSatisfied Required addon 'hello' is part of a dependency cycle: base -> hello -> base.",
        ),
      ],
    },
    verdict: 'blocked',
    cause: /dependency cycle: hello -> base -> hello/,
  },
  {
    name: 'an optional dependency that is missing does not stop it',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base', type: 'Optional' }])],
      clusters: [c1],
      installed: [
        installed('hello', 'c1', "Degraded True DependencyNotSatisfied Optional addon 'base' is not installed or not available", ...well),
      ],
    },
    verdict: 'available',
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
    name: 'a cluster whose agent never joined, with the command that joins it',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [cluster('c1')],
      installed: [installed('hello', 'c1', 'Progressing True Installing x')],
    },
    verdict: 'waiting',
    cause: /no agent has joined as cluster c1/,
    hint: /^outrigger join c1 > c1\.yaml, then apply that file to the cluster$/,
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
  {
    name: 'a removal that waits for a confirmation, since when, with the command',
    given: {
      managementAddOns: [
        {
          ...addOn('hello', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'dev' } } }),
          status: { conditions: conditions('TargetsResolved False RemovalNeedsConfirmation would remove 10 of 10 add-ons') },
        },
      ],
      clusters: [c1],
      installed: [marked(installed('hello', 'c1', ...well))],
      rollouts: [rollout('hello', {}, { pendingRemoval: { count: 10, of: 10 } })],
    },
    verdict: 'available',
    cause: /its removal waits for a confirmation since 2026-01-01T00:00:00Z \(10 of 10 add-ons would be removed\)/,
    hint: /^outrigger rollout confirm hello$/,
  },
  {
    name: 'a removal that follows by itself',
    given: {
      managementAddOns: [addOn('hello', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'dev' } } })],
      clusters: [c1],
      installed: [marked(installed('hello', 'c1', ...well))],
    },
    verdict: 'available',
    cause: /no entry of the strategy selects it here: the manager removes it about 10 seconds after that/,
  },
  {
    name: 'an add-on that a person installed and no entry selects stays',
    given: {
      managementAddOns: [addOn('hello', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'dev' } } })],
      clusters: [c1],
      installed: [installed('hello', 'c1', ...well)],
    },
    verdict: 'available',
  },
  {
    name: 'a removal that waits for its hook, with the time at which it stops waiting',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [
        deleting(installed('hello', 'c1', 'HookManifestCompleted False HookManifestIsNotCompleted hook manifestWork w is not completed.')),
      ],
    },
    verdict: 'removing',
    cause: /since 2026-01-01T00:00:00Z: hook manifestWork w is not completed\. It is removed without that at 2026-01-01T00:10:00Z/,
  },
  {
    name: 'a removal that waits for the agent',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [deleting(installed('hello', 'c1'))],
      works: [work('hello', 'c1', [])],
    },
    verdict: 'removing',
    cause: /since 2026-01-01T00:00:00Z: the agent still removes the objects of addon-hello-deploy-0/,
  },
  {
    name: 'being removed',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [{ ...installed('hello', 'c1'), metadata: { name: 'hello', namespace: 'c1', deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    },
    verdict: 'removing',
    cause: /being removed/,
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
  {
    name: 'all is well',
    given: { managementAddOns: [addOn('hello')], clusters: [c1], installed: [installed('hello', 'c1', ...well)] },
    verdict: 'available',
  },
];

describe('why: one causal chain', () => {
  it.each(cases)('$name', ({ given, verdict, cause, hint }) => {
    const chain = explain({ ...EMPTY, ...given }, 'hello', 'c1');
    const found = causeOf(chain);
    expect(chain.verdict).toBe(verdict);
    if (cause) expect(found?.text).toMatch(cause);
    else expect(found).toBeUndefined();
    if (hint) expect(found?.hint).toMatch(hint);
    for (const link of chain.links) expect(link.hint ?? '').not.toMatch(/<[a-z]+>/);
  });

  it('names each dependency once, whatever its state', () => {
    const missing = (name: string): string => `Degraded True RequiredDependencyNotSatisfied Required addon '${name}' is missing`;
    const chain = explain(
      {
        ...EMPTY,
        managementAddOns: [addOn('hello', undefined, [{ name: 'base' }]), addOn('base', undefined, [{ name: 'store' }]), addOn('store')],
        clusters: [c1],
        installed: [
          installed('hello', 'c1', missing('base')),
          installed('base', 'c1', missing('store')),
          installed('store', 'c1', 'Progressing True Installing Installing addon version v1.'),
        ],
      },
      'hello',
      'c1',
    );
    expect(chain.links.slice(-2).map(({ text }) => text)).toEqual([
      "base: a required add-on is missing: Required addon 'store' is missing",
      'store: Installing: Installing addon version v1.',
    ]);
  });

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

  it('survives a dependency chain of any length and shape', () => {
    const names = Array.from({ length: 50 }, (_, i) => `a${i}`);
    const managementAddOns = names.map((name, i) =>
      addOn(name, undefined, [{ name: names[(i + 1) % 50] ?? '' }, { name: names[(i + 2) % 50] ?? '' }]),
    );
    const all = names.map((name) => installed(name, 'c1', 'Degraded True RequiredDependencyNotSatisfied missing'));
    const chain = explain({ ...EMPTY, managementAddOns, clusters: [c1], installed: all }, 'a0', 'c1');
    expect(chain.verdict).toBe('blocked');
  });
});
