/** A behaviour on which Open Cluster Management's operators and programs rely, with the tests for it. */
export interface UpstreamCase {
  readonly behaviour: string;
  /** The tests on the embedded server, as `file: part of a title`. */
  readonly embedded: readonly string[];
  /**
   * The tests on a real kube-apiserver, as `file: part of a title`. The list is empty if a real server cannot show the behaviour; `because`
   * then says why.
   */
  readonly kube: readonly string[];
  readonly because?: string;
  /** The tests of the rule itself, without a server, as `file: part of a title`. */
  readonly rule?: readonly string[];
}

export interface UpstreamTopic {
  readonly title: string;
  readonly cases: readonly UpstreamCase[];
}

const BESIDE = 'test/integration/install/beside-another.test.ts: AT-60 installing beside another program keeps its definitions';
const BESIDE_KUBE = 'test/kube/cli-beside.test.ts: AT-60 installing keeps its definitions';
const BACK = 'test/kube/cli-upstream.test.ts: AT-60 uninstalling restores the inventory, and upstream works again';
const DECLARATION = 'test/integration/addon/declaration.test.ts';
const STORIES = 'test/kube/addon-stories.test.ts';
const FLEET = 'test/integration/fleet/fleet.test.ts: stories';
const FLEET_KUBE = 'test/kube/fleet.test.ts: stories';
const GOLDEN = 'a work holds the expected manifests of every golden file';
const RENDERED = [`test/integration/addon/golden.test.ts: ${GOLDEN}`];
const RENDERED_KUBE = [`test/kube/addon-content.test.ts: ${GOLDEN}`];
const TRUST = 'test/integration/identity/trust.ts: an agent joins, and commands work, if certificate-authority is';
const FLAGS = 'test/cli/hub-flags.test.ts';
const FLAGS_KUBE = 'test/kube/cli-flags.test.ts';
const CLUSTERADM_JOIN = 'a cluster joins by the account of clusteradm, is accepted automatically';
const TWO_PROCESSES = 'an agent in two processes, with Secrets of other names, labels, annotations and another grace period';
const CLUSTERADM = 'the calls of clusteradm: token, accept, cluster sets, works, replica sets and add-ons';
const EXECUTOR = 'test/integration/work/executor.ts';
const CONFORMANCE = 'test/conformance/more-kinds.ts';

/** Returns the tests of a case that is tested on both servers: a shared file contains the test body, and one file per server runs it. */
function shared(story: string, kube: string): Pick<UpstreamCase, 'embedded' | 'kube'> {
  return { embedded: [story], kube: [`${kube}: ${story.split('/').at(-1)?.split('.ts')[0] ?? ''}.js`] };
}

export const UPSTREAM_TOPICS: readonly UpstreamTopic[] = [
  {
    title: 'Installing beside another manager, and removing',
    cases: [
      {
        behaviour: 'Installing leaves the served versions, the stored version and the conversion of every definition as found.',
        embedded: [BESIDE],
        kube: [BESIDE_KUBE, 'test/kube/cli-upstream.test.ts: 2. installing beside upstream changes none of its objects'],
        rule: [
          'packages/cli/src/install/definitions/merge.test.ts: AT-60 keeps every version, field, enum value, printer column and short name',
        ],
      },
      {
        behaviour: 'Our fields are accepted, also where the other program has restored its schema and after the next installation.',
        embedded: [BESIDE],
        kube: [BESIDE_KUBE, 'test/kube/cli-beside.test.ts: installing adds our fields also if its definitions bound nothing'],
        rule: ['packages/cli/src/install/definitions/merge.test.ts: gets every field of ours that its types allow, and reports the others'],
      },
      {
        behaviour:
          'A converter that drops unknown fields drops ours; `outrigger doctor` names the fields that get lost or are not defined.',
        embedded: [BESIDE],
        kube: [BESIDE_KUBE],
      },
      {
        behaviour: 'A newer definition than ours is kept, and what we miss is reported.',
        embedded: ['test/integration/addon/upstream-definitions.test.ts: '],
        kube: ['test/kube/addon-upstream-definitions.test.ts: logs once which features are off'],
        rule: ['packages/cli/src/install/definitions/merge.test.ts: of a newer release is kept'],
      },
      {
        behaviour: 'Uninstalling restores what was found, and keeps later changes of the other program.',
        embedded: [BESIDE],
        kube: [BESIDE_KUBE, BACK],
        rule: ['packages/cli/src/install/definitions/merge.test.ts: keeps later changes of its own program'],
      },
      {
        behaviour:
          'From upstream and back: doctor, install, take over, uninstall; the inventory before equals the inventory after, without exceptions.',
        embedded: [BESIDE],
        kube: [
          'test/kube/cli-upstream.test.ts: 1. doctor reports which of upstream’s controllers run',
          'test/kube/cli-upstream.test.ts: 3. and 4. our manager takes over without rewriting one work',
          BACK,
          'test/kube/cli.test.ts: takes a hub of upstream over without rewriting one work, and hands it back',
        ],
        rule: [
          'packages/hub/src/registration/hand-back.test.ts: creates the binding in the namespace of each cluster as upstream’s manager does',
          'packages/hub/src/controllers/addon/permissions.test.ts: objects without an owner, as upstream creates them, stay as found',
          'packages/cli/src/install/leftovers.test.ts: names every key with our prefix, and no other',
        ],
      },
      {
        behaviour:
          'The rights that charts grant to the manager of upstream to bind roles and to use signers are copied, by name, and no others.',
        embedded: [`${FLAGS}: --take-over copies only rights to bind and to sign, by name`],
        kube: [`${FLAGS_KUBE}: --take-over copies only rights to bind and to sign, by name`],
        rule: [
          'packages/cli/src/install/take-over.test.ts: are only to bind roles and use signers, by name',
          'packages/cli/src/install/take-over.test.ts: do not include a rule with wildcards, which is reported',
        ],
      },
      {
        behaviour: 'The command that a condition prints for a missing right grants it; for signers it is YAML.',
        embedded: [
          'test/integration/addon/registration.test.ts: AT-14 a role the manager may not bind is refused, with the command that grants it',
        ],
        kube: [`${FLAGS_KUBE}: the commands that a missing right is answered with grant it`],
      },
    ],
  },
  {
    title: 'Add-ons of other managers',
    cases: [
      {
        behaviour: 'An add-on that publishes no health-check mode is available by its lease.',
        ...shared(
          'test/integration/identity/story.ts: an add-on of another manager that publishes no health mode is available by its lease',
          'test/kube/identity.test.ts',
        ),
        rule: ['packages/agent/src/health/decide.test.ts: takes an empty mode for Lease after the first status of the hub'],
      },
      {
        behaviour:
          'A template is used because an add-on references it, whatever its `addonName`; the writer is warned, and such an add-on settles.',
        embedded: [`${DECLARATION}: a template is used because it is referenced, whatever its addonName`],
        kube: [`${STORIES}: a template is used because it is referenced, whatever its addonName`],
        rule: ['packages/api/src/admission/add-ons.test.ts: the template belongs to another add-on'],
      },
      {
        behaviour: 'Config kinds in `status.supportedConfigs` are supported.',
        embedded: [`${DECLARATION}: a config kind that another manager publishes in the status counts as supported`],
        kube: [`${STORIES}: a config kind that another manager publishes in the status counts as supported`],
      },
      {
        behaviour: 'A reference to an unsupported kind stays in `status.configReferences` with an empty hash.',
        embedded: [`${DECLARATION}: an unsupported kind and a namespace left out are accepted, shown and named in conditions`],
        kube: [`${STORIES}: an unsupported kind and a namespace left out are accepted, shown and named in conditions`],
      },
      {
        behaviour: 'An add-on that asks for the token driver gets its ServiceAccount, role and binding, and loses them with the driver.',
        embedded: [`${DECLARATION}: an add-on of another manager gets its account for the token driver, and loses it with the driver`],
        kube: [`${STORIES}: an add-on of another manager gets its account for the token driver, and loses it with the driver`],
      },
    ],
  },
  {
    title: 'Rollouts and Placements',
    cases: [
      {
        behaviour: '`minSuccessTime` is waited for, also on a fresh install.',
        embedded: [
          'test/integration/fleet/stories.ts: waits for the soak of a cluster before the next one moves, also on a fresh install',
          FLEET,
        ],
        kube: [FLEET_KUBE],
      },
      {
        behaviour: 'The progress of a reference that changes to another object is emptied, and filled as the rollout succeeds.',
        embedded: [
          'test/integration/fleet/stories.ts: shows the progress of a changed reference: another object empties it, success fills it',
          FLEET,
        ],
        kube: [FLEET_KUBE],
        rule: ['packages/hub/src/controllers/fleet/progressions.test.ts: the references of an install progression'],
      },
      {
        behaviour: 'A misconfigured Placement has one empty PlacementDecision, which uninstalls nothing.',
        embedded: ['test/integration/placement/placement.test.ts: keeps its decisions while misconfigured'],
        kube: ['test/kube/placement.test.ts: keeps its decisions while misconfigured'],
        rule: [
          'packages/hub/src/controllers/placement/decide.test.ts: a Placement that was never valid gets its condition first, then one empty decision',
          'packages/hub/src/controllers/fleet/attack-cases.test.ts: a misconfigured Placement with an empty decision uninstalls nothing',
        ],
      },
      {
        behaviour: 'A ManifestWorkReplicaSet puts one workload on the clusters of a Placement, with the rollout strategies of add-ons.',
        embedded: [
          'test/integration/replica-sets/replica-sets.test.ts: moves clusters one at a time, follows its Placement, and deletes its works',
        ],
        kube: ['test/kube/replica-sets.test.ts: moves clusters one at a time, follows its Placement, and deletes its works'],
        rule: [
          'packages/hub/src/controllers/replica-sets/decide.test.ts: uses the works that another controller created, and deletes a second one',
          'packages/hub/src/controllers/replica-sets/decide.test.ts: soaks for the whole time, and no longer, if an agent reports',
          'packages/hub/src/controllers/replica-sets/decide.test.ts: keeps every work, and names the field, if the strategy cannot be read',
        ],
      },
    ],
  },
  {
    title: 'Rendering',
    cases: [
      {
        behaviour: 'A Job gets variables and its namespace, and nothing else.',
        embedded: RENDERED,
        kube: RENDERED_KUBE,
        rule: [
          'packages/rules/src/render/golden/jobs-substituted-only.input.yaml: a Job gets variables and its namespace, and nothing else',
        ],
      },
      {
        behaviour: 'Volumes with credentials have no `defaultMode`.',
        embedded: RENDERED,
        kube: RENDERED_KUBE,
        rule: ['packages/rules/src/render/golden/injection.input.yaml: gets variables and credentials'],
      },
      {
        behaviour:
          'HUB_KUBECONFIG is in the environment only with a registration, INSTALL_NAMESPACE only where a deployment config names a namespace.',
        embedded: RENDERED,
        kube: RENDERED_KUBE,
        rule: [
          'packages/rules/src/render/golden/env-without-registration.input.yaml: a container gets CLUSTER_NAME only',
          'packages/rules/src/render/golden/env-with-default-namespace.input.yaml: INSTALL_NAMESPACE is set where a deployment config names a namespace',
        ],
      },
      {
        behaviour: 'Workloads with 0 replicas have feedback rules, and a newer renderer moves no cluster by itself.',
        embedded: [
          'test/integration/addon/renderer.test.ts: moves no cluster: a newer renderer comes with other content, through the rollout',
        ],
        kube: ['test/kube/addon-content.test.ts: a newer renderer moves no cluster, comes with other content and goes back with it'],
      },
    ],
  },
  {
    title: 'Clusters and agents',
    cases: [
      {
        behaviour:
          'A kubeconfig may name the server’s own certificate or an intermediate authority; its authorities also apply to an https proxy.',
        ...shared(TRUST, 'test/kube/trust.test.ts'),
        rule: [
          'packages/kube/src/adapters/http/transport.test.ts: trusts $name, given as certificate-authority',
          'packages/kube/src/adapters/http/transport.test.ts: reaches the server through an https proxy if certificate-authority is',
          'packages/kube/src/adapters/http/transport.test.ts: does not trust a server because of',
        ],
      },
      {
        behaviour: 'A port out of range is called that.',
        embedded: ['packages/kube/src/kubeconfig/kubeconfig.test.ts: a port out of range in'],
        kube: [],
        because: 'no request is sent',
      },
      {
        behaviour: 'A ManagedCluster that disappears without its finalizers leaves nothing but its Namespace.',
        ...shared('test/integration/clusters/gone.ts: leaves nothing but its Namespace', 'test/kube/gone-cluster.test.ts'),
        rule: [
          'packages/hub/src/controllers/clusters/gone.test.ts: keeps the objects of a cluster that this process has never seen',
          'packages/hub/src/controllers/clusters/gone.test.ts: many missing clusters wait until a person confirms each on its Namespace',
        ],
      },
      {
        behaviour:
          'A work that brings the rights of its executor is applied at once; revoked rights are reported at the next change of the work.',
        embedded: [
          `${EXECUTOR}: is applied as soon as another work brings the rights`,
          `${EXECUTOR}: reports removed rights at the next change of the work`,
        ],
        kube: ['test/kube/work.test.ts: describeExecutor'],
        rule: [
          'packages/agent/src/work/executor/permissions.test.ts: that are refused are asked for again after two seconds, then ever later',
        ],
      },
      {
        behaviour: 'An agent that cannot read a kind, or finds it not served, does the rest and names the kind.',
        embedded: [
          'test/integration/start-up/agent-kinds.test.ts: not served on the %s: runs the rest and names it: every defined kind',
          'test/integration/start-up/agent-kinds.test.ts: forbidden on the %s: runs the rest, names the kind',
          'test/integration/identity/missing-kinds.test.ts: does the rest, reports the missing kind, and continues when it is served',
        ],
        kube: ['test/kube/unreadable-kinds.test.ts: runs the rest and names it: every kind'],
      },
      {
        behaviour: 'Two agents that share their AppliedManifestWorks by mistake back off.',
        embedded: [
          'test/integration/work/ownership.ts: settle: each leaves an applied work to the other instead of taking it back at once',
          'test/integration/work/frequent-changes.test.ts: that another agent also writes is rewritten ever less often',
        ],
        kube: ['test/kube/work.test.ts: describeOwnership'],
        rule: [
          'packages/agent/src/work/ownership/contest.test.ts: is left to that agent for the first wait again after an hour without a take-over',
        ],
      },
    ],
  },
  {
    title: 'Flags and programs of upstream',
    cases: [
      {
        behaviour:
          'Roles of the agent on their own, names of its Secrets, annotations and labels of the cluster, eviction grace as a duration.',
        embedded: [
          `${FLAGS}: ${TWO_PROCESSES}`,
          'test/integration/identity/roles.test.ts: joins by the one that registers',
          'test/cli/wrong-options.test.ts: is refused, and the message names the option',
        ],
        kube: [`${FLAGS_KUBE}: ${TWO_PROCESSES}`],
      },
      {
        behaviour:
          'Automatic acceptance, approved bootstrap users, labels of the objects that the hub creates, `--no-leader-election` with its namespace.',
        embedded: [`${FLAGS}: ${CLUSTERADM_JOIN}`],
        kube: [`${FLAGS_KUBE}: ${CLUSTERADM_JOIN}`],
      },
      {
        behaviour: 'clusteradm: token of the bootstrap account, accept, cluster sets, works, replica sets, add-ons.',
        embedded: [`${FLAGS}: ${CLUSTERADM}`],
        kube: [`${FLAGS_KUBE}: ${CLUSTERADM}`],
      },
      {
        behaviour: 'An agent that makes upstream’s calls joins, keeps its lease, runs an add-on and is detached.',
        embedded: ['test/interop/klusterlet.test.ts: joins: announced by itself, accepted and approved by a person'],
        kube: [],
        because: 'the calls are those that upstream’s agent makes to any hub; these tests run them against the embedded one',
      },
    ],
  },
  {
    title: 'The embedded server',
    cases: [
      {
        behaviour:
          'Kinds of storage, priorities, addresses and devices, autoscaling/v1, and the ConfigMap for servers that extend the API.',
        embedded: [
          `${CONFORMANCE}: kinds of storage, priorities, addresses and devices`,
          `${CONFORMANCE}: an autoscaler of autoscaling/v1 is the same object in v2`,
          `${CONFORMANCE}: servers that extend the API find the authority of client certificates`,
          'test/conformance/embedded.test.ts: conformance',
        ],
        kube: ['test/kube/conformance.test.ts: conformance'],
      },
      {
        behaviour: 'Simulated clusters have ReplicaSets and Pods, with owners, conditions, a log line and revisions.',
        embedded: [
          'packages/control-plane/src/cluster/simulation.test.ts: has pods that are ready, owned by the replica set, with a line of log',
          'packages/control-plane/src/cluster/simulation.test.ts: numbers the revisions of a deployment, on it and on its replica sets',
          'packages/control-plane/src/cluster/simulation.test.ts: never reports more ready replicas than ready pods, in any state that it stores',
          'test/interop/helm.test.ts: installs, and returns when everything is ready',
          'test/interop/helm.test.ts: runs the test pod of a chart to its end',
        ],
        kube: [],
        because: 'a real server has no simulated workloads',
      },
      {
        behaviour: '`kubectl rollout history` and `undo`, `get pods` and `logs` work; on the hub too, with `--simulate-hub-workloads`.',
        embedded: [
          'packages/control-plane/src/serve/kubectl.test.ts: applies, waits, describes, patches, labels, scales and deletes a deployment',
          'packages/control-plane/src/serve/kubectl.test.ts: shows the causes of revisions, and an undo uses the old replica set again',
          'test/cli/hub-workloads.test.ts: run with pods, if --simulate-hub-workloads asks for it',
        ],
        kube: [],
        because: 'a real server has no simulated workloads',
      },
    ],
  },
];
