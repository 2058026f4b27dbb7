/**
 * Sentences of docs/guides/security.md that name no attack case, with the tests that prove them. A sentence that names cases (AT-01) is
 * proved by the tests in docs/security-cases.md. The test beside this file checks that no sentence is missing and that every test exists.
 */
export interface SecuritySentence {
  /** The beginning of the sentence or table row. */
  readonly begins: string;
  /** The tests, as `file: part of a title`. The list is empty if no test can prove the sentence; `because` then says why. */
  readonly shownBy?: readonly string[];
  readonly because?: string;
}

const ADVICE = 'advice to an administrator';
const HEADING = 'introduces the sentences below';
const CONSEQUENCE = 'a consequence of the right, which the test shows the manager has';
const LEAST_PRIVILEGE = 'test/cli/least-privilege.test.ts: AT-56 the shipped rights';
const LEAST_PRIVILEGE_KUBE = 'test/kube/cli-rights.test.ts: AT-56';
const ROLES = 'test/cli/people.test.ts: each role gives the rights of its table and no more';
const JOIN = 'test/integration/clusters/join.ts: AT-09 a join token lets its cluster in';
const OWN_CLUSTER = 'test/integration/identity/own-cluster.ts: labels and annotations of others stay as they are';
const NAME_REUSE = 'test/integration/identity/name-reuse.ts: the old machine gains nothing';
const UPSTREAM_TOKEN = 'test/cli/hub-flags.test.ts: a cluster joins by the account of clusteradm';
const DECIDERS = 'test/cli/people.test.ts: the API server checks the writers of decisions about gates';
const CONSOLE = 'test/integration/console/access-story.ts';

export const SECURITY_SENTENCES: readonly SecuritySentence[] = [
  { begins: 'Reader: an administrator', because: HEADING },
  {
    begins: 'A person who may write templates is root',
    shownBy: ['test/integration/thread/thread.test.ts: installs, follows an edit of its template'],
  },
  {
    begins: 'An AddOnTemplate may hold any manifest',
    shownBy: ['test/integration/thread/thread.test.ts: installs, follows an edit of its template'],
  },
  { begins: 'The same holds for configurations', shownBy: ['test/integration/addon/seeds.test.ts: configuration: deployment configs'] },
  { begins: 'Give `create` and `update`', because: ADVICE },
  {
    begins: 'An `executor` in the template narrows',
    shownBy: [
      'test/integration/work/executor.ts: applies the objects that the executor may write',
      'test/integration/identity/writer-rights.ts: AT-16 the executor of a $kind.kind',
    ],
  },
  {
    begins: "The agent asks the cluster's API server",
    shownBy: ['test/integration/work/executor.ts: requests no certificate, because the API server would record the agent as the requester'],
  },
  {
    begins: 'Admission on that cluster therefore sees the agent',
    shownBy: ['test/integration/work/executor.ts: requests no certificate, because the API server would record the agent as the requester'],
  },
  {
    begins: 'For roles, admission policies and trust bundles',
    shownBy: [
      'test/integration/work/executor.ts: cannot hand out rights the executor does not have',
      'test/integration/work/executor.ts: writes no policy with parameters that the executor may not read',
    ],
  },
  { begins: 'The table says who is trusted', because: HEADING },
  { begins: 'The last column names', shownBy: ['tools/gen/security-cases.test.ts: the page of attack cases'] },
  { begins: 'The eight trust rules, before and after', because: 'a record of an earlier commit' },
  { begins: 'administrator of the hub | everything', because: 'the definition of an administrator' },
  {
    begins: 'any client that reaches the metrics port',
    shownBy: ['packages/kube/src/adapters/endpoint-server.test.ts: serves health and the metrics that were counted'],
  },
  { begins: 'Exceptions: reports that count', because: HEADING },
  { begins: "A Placement's author may select", shownBy: ['packages/rules/src/scheduling/filters.test.ts: claimSelector'] },
  {
    begins: "An agent's Available decides",
    shownBy: ['packages/rules/src/rollout/decide.test.ts: then it is parked: still in flight, but without a slot'],
  },
  {
    begins: 'The registration `driver`',
    shownBy: ['test/integration/addon/registration.test.ts: the token driver gets a service account'],
  },
  {
    begins: '`status.supportedConfigs` admits',
    shownBy: ['test/integration/addon/declaration.test.ts: a config kind that another manager publishes'],
  },
  { begins: 'Where admission does not run', because: HEADING },
  { begins: 'On a hub without the webhooks', shownBy: ['packages/cli/src/doctor/checks.test.ts: AT-17 AT-50 a hub without admission'] },
  {
    begins: 'And certificates that the API server itself signs',
    shownBy: ['packages/cli/src/doctor/checks.test.ts: AT-17 AT-50 a hub without admission'],
  },
  { begins: '`outrigger doctor` reports both', shownBy: ['packages/cli/src/doctor/checks.test.ts: AT-17 AT-50 a hub without admission'] },
  {
    begins: "Certificates of a template's own signer",
    shownBy: ['packages/hub/src/controllers/registration/sign.test.ts: AT-50 lasts at most the cap'],
  },
  {
    begins: 'While no webhook answers',
    shownBy: [
      'test/kube/own-cluster.test.ts: AT-16 while no webhook answers',
      'packages/hub/src/webhook/configurations.test.ts: AT-17 are all that need a right',
    ],
  },
  { begins: 'Templates are used by reference', because: HEADING },
  { begins: 'Labels.', because: HEADING },
  { begins: 'Labels and annotations that a cluster may not write', shownBy: [OWN_CLUSTER] },
  {
    begins: 'An agent of Open Cluster Management that is started',
    shownBy: ['packages/api/src/admission/cluster-own-changes.test.ts: AT-17'],
  },
  { begins: 'Names.', because: HEADING },
  {
    begins: 'The hub records which certificates',
    shownBy: ['packages/hub/src/controllers/registration/cluster-rules.test.ts: AT-08 goes by the record in the Namespace'],
  },
  {
    begins: 'API servers from 1.32 on send',
    shownBy: [
      NAME_REUSE,
      'packages/hub/src/controllers/registration/cluster-rules.test.ts: AT-51 is denied to a certificate of an earlier holder',
    ],
  },
  {
    begins: 'Older ones do not',
    shownBy: ['test/integration/identity/name-reuse.ts: the name is not free while its certificates are valid'],
  },
  { begins: '`outrigger join --reuse-name` shortens', shownBy: [NAME_REUSE] },
  { begins: 'Deleting the Namespace deletes the record', because: 'the record is an annotation of the Namespace' },
  { begins: 'Certificate requests are readable by all agents', because: HEADING },
  { begins: "Upstream's agents list and watch them", shownBy: ['test/interop/klusterlet.test.ts: joins: announced by itself'] },
  { begins: 'They hold names and public keys', because: 'the content of a certificate request' },
  { begins: 'The webhook believes the user', because: HEADING },
  {
    begins: 'A review that does not come from the API server',
    shownBy: ['packages/hub/src/webhook/clients.test.ts: answer any client if no authority is known'],
  },
  {
    begins: 'Give the API server a client certificate',
    shownBy: ['packages/hub/src/webhook/clients.test.ts: answers only the API server’s certificate'],
  },
  { begins: '`outrigger install hub` prints its rights; tests run', shownBy: [LEAST_PRIVILEGE, LEAST_PRIVILEGE_KUBE] },
  { begins: 'It has no `escalate`', shownBy: [LEAST_PRIVILEGE, LEAST_PRIVILEGE_KUBE] },
  { begins: 'RBAC cannot list names of clusters to come', shownBy: [LEAST_PRIVILEGE, LEAST_PRIVILEGE_KUBE] },
  { begins: 'Kubernetes 1.30 or newer enforces', because: 'a fact about Kubernetes' },
  {
    begins: 'Four more policies limit users',
    shownBy: [
      DECIDERS,
      'test/cli/people.test.ts: AT-17 the owner of a cluster cannot write the annotations',
      'test/cli/people.test.ts: AT-56 a user who may not delete an object cannot have it deleted',
    ],
  },
  {
    begins: 'On a server before 1.30',
    shownBy: ['packages/rules/src/policy/approval-gates.test.ts: are ignored if the API server does not check their writers'],
  },
  { begins: 'Deleting a declaration that a RolloutPolicy selects', shownBy: [DECIDERS, 'test/cli/deciders.ts: deletionsAreGuarded'] },
  { begins: 'So does an added or changed owner', shownBy: [DECIDERS, 'test/cli/deciders.ts: metadata.ownerReferences'] },
  { begins: 'A policy does not govern content', because: 'a limit, not a promise' },
  {
    begins: 'Annotations that users wrote before the policies',
    shownBy: ['packages/hub/src/controllers/addon/deletion.test.ts: AT-17 hooks that a user wrote into the annotation'],
  },
  { begins: 'While the template does not exist, or cannot be rendered', because: 'a limit, not a promise' },
  { begins: 'These rights remain.', because: HEADING },
  { begins: "An attacker who takes over the manager's account", because: HEADING },
  { begins: 'writes every ManifestWork', because: CONSEQUENCE },
  {
    begins: 'approves client certificates',
    shownBy: ['test/conformance/disguises.ts: a certificate request for system:masters is refused'],
  },
  { begins: 'changes its two webhook configurations', because: CONSEQUENCE },
  { begins: 'changes the conversion of two', because: CONSEQUENCE },
  { begins: 'reads Secrets in its namespace by name', because: CONSEQUENCE },
  { begins: 'accepts clusters, makes namespaces', because: CONSEQUENCE },
  { begins: 'what you list in the three aggregated roles', because: CONSEQUENCE },
  { begins: '`install hub --token-registration` only', because: CONSEQUENCE },
  {
    begins: 'Add-ons sign in with certificates by default',
    shownBy: ['test/integration/identity/token-driver.test.ts: add-ons that sign in with a token'],
  },
  { begins: 'For add-ons that use tokens, grant', because: ADVICE },
  { begins: 'Three things an administrator lists', because: HEADING },
  {
    begins: 'binding a role for add-ons |',
    shownBy: ['test/integration/addon/registration.test.ts: AT-14 a role the manager may not bind is refused'],
  },
  {
    begins: 'approving and signing for a signer',
    shownBy: ['test/kube/cli-flags.test.ts: the commands that a missing right is answered with grant it'],
  },
  {
    begins: 'reading configurations of other kinds',
    shownBy: ['test/integration/addon/followed-configs.test.ts: AT-15 an object that the manager may not read'],
  },
  {
    begins: '`outrigger install hub --take-over` copies',
    shownBy: ['test/cli/hub-flags.test.ts: --take-over copies only rights', 'test/kube/cli-flags.test.ts: --take-over copies only rights'],
  },
  {
    begins: 'A role that is not listed is refused',
    shownBy: ['test/integration/addon/registration.test.ts: AT-14 a role the manager may not bind is refused'],
  },
  {
    begins: 'A writer of a template must be allowed',
    shownBy: [
      'test/integration/addon/admission.test.ts: AT-14 refuses a template',
      'test/integration/addon/admission.test.ts: AT-15 refuses a reference',
    ],
  },
  { begins: '`outrigger install hub` creates ClusterRoles', shownBy: [ROLES] },
  { begins: 'Bind them to people', because: ADVICE },
  ...['viewer', 'fleet-admin', 'addon-author', 'rollout-approver', 'approver'].map((role) => ({
    begins: `\`outrigger:${role}\` |`,
    shownBy: [ROLES],
  })),
  {
    begins: '`outrigger:joiner` |',
    shownBy: ['test/cli/people.test.ts: each role reads the objects it may read, and every refusal is explained'],
  },
  {
    begins: '`outrigger:cluster-owner` |',
    shownBy: ['test/cli/people.test.ts: the owner of a cluster types the guide with that role alone'],
  },
  { begins: 'Each role is aggregated', shownBy: ['test/cli/people.test.ts: each role gives the rights of its table and no more'] },
  { begins: 'A join token serves one cluster', shownBy: [JOIN] },
  {
    begins: 'It can ask for one certificate',
    shownBy: [JOIN, 'test/integration/clusters/join.ts: AT-09 a token for an agent that follows all certificate requests'],
  },
  { begins: '`outrigger install hub --clusteradm` makes', shownBy: ['test/cli/hub-flags.test.ts: the calls of clusteradm'] },
  { begins: 'That token serves every cluster', shownBy: [UPSTREAM_TOKEN] },
  {
    begins: 'A person accepts the cluster and approves',
    shownBy: ['test/cli/hub-flags.test.ts: a cluster joins by the account of clusteradm'],
  },
  { begins: '`outrigger join` makes a token for one cluster', shownBy: [JOIN] },
  {
    begins: "A cluster's agent reads and writes its own namespace only",
    shownBy: ['test/integration/addon/attacks.test.ts: AT-12 writes neither specs'],
  },
  {
    begins: 'A ManagedCluster that disappears',
    shownBy: ['test/integration/clusters/gone.ts: leaves nothing but its Namespace', 'test/kube/gone-cluster.test.ts: describeGoneCluster'],
  },
  { begins: "The console's account reads", shownBy: ['test/integration/console/deploy.test.ts: the account of the console only reads'] },
  { begins: 'YAML is read and every action sent', shownBy: [`${CONSOLE}: of an administrator are written as that user`] },
  { begins: 'A header that only names a user', shownBy: [`${CONSOLE}: x-forwarded-user`] },
  {
    begins: 'A session ends after 12 hours',
    shownBy: [
      'packages/console-server/src/sessions/sessions.test.ts: AT-18 rights that cannot be checked',
      `${CONSOLE}: ends when the token does`,
    ],
  },
  { begins: 'On your own machine the console listens', shownBy: ['packages/console-server/src/http/app.test.ts: opens the console once'] },
  { begins: 'Conditions, events, logs', shownBy: ['test/integration/addon/leaked-secrets.test.ts: AT-29 is in no object'] },
  { begins: 'Names and messages that come from objects', shownBy: ['test/cli/hostile-output.test.ts: AT-30 texts of objects stay texts'] },
  { begins: '`npm start` is for one machine', shownBy: ['packages/control-plane/src/files/adapters/private-files.test.ts: kubeconfig'] },
];
