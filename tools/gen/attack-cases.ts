/** An attack or fault that the system must reject or tolerate. */
export interface AttackCase {
  readonly id: string;
  /** The rule, in one sentence. */
  readonly rule: string;
  /** The part of the rule that no test proves. */
  readonly gap?: string;
}

const rules: readonly (readonly [rule: string, gap?: string])[] = [
  // Identity
  ['An agent of one cluster gets no certificate for an add-on or agent of another, whatever their names have in common.'],
  ['A certificate names exactly the groups the hub computes; only `system:authenticated` may be asked for besides.'],
  [
    "A request whose labels name another cluster or add-on is denied; one without labels is ignored; neither touches the other cluster's objects.",
  ],
  ["A custom signer's certificate has exactly the subject of the template."],
  ['A certificate is for client authentication only: no other alternative name, usage, extension or authority.'],
  ['No certificate for a cluster that is not accepted, is being deleted, or has no such add-on.'],
  [
    'A detached or denied cluster renews nothing, and its last certificate ends within the cap.',
    'Where the webhook does not run, certificates of the API server’s own signer last as long as its `--cluster-signing-duration`.',
  ],
  ['A second machine cannot join under a name that another key holds.'],
  ['A join token serves one cluster once, ends with the join, and reads nothing of other clusters.'],
  ['A template signs only with an authority its author may read.'],
  ['The requester is the one the API server authenticated, whatever an annotation claims.'],
  // Authorization on the hub
  ['An agent’s status changes neither bindings nor subjects.'],
  ['Bindings of one permission on two clusters are two objects with two lives.'],
  ['A template cannot bind a role that its author may not bind or that was not listed for the manager.'],
  ['A reference to an object its author may not read is refused.'],
  ['A work runs as an account only if its writer may act as that account.'],
  [
    'A cluster writes only its own fields of its ManagedCluster; labels and annotations of tenants give no rights.',
    'Holds where admission runs: the embedded server, or a hub with the webhooks. `outrigger doctor` reports a hub without.',
  ],
  ['A request without a valid identity is answered 401.'],
  ['Every route needs a token, and readers cannot change anything.'],
  // Attacks on templates, configuration and content
  ['A variable’s value stays one string.'],
  ['An undefined variable is refused with its name and path.'],
  ['A template edited during a rollout changes no cluster that runs or waits.'],
  ['Manifest bombs are refused within bounds.'],
  ['Keys that name a prototype pollute nothing.'],
  ['Expressions and patterns cannot run away.'],
  ['Paths lead nowhere else.'],
  ['A kubeconfig from others runs no programs and reads no files.'],
  ['Remote addresses are bounded, and credentials do not follow a redirect.'],
  ['The content of Secrets appears nowhere.'],
  ['Texts of objects are inert in terminals and in browsers.'],
  // Dependencies
  ['A cycle of dependencies is refused or contained, and named.'],
  ['Long chains and wide fans cost linear time.'],
  ['A dependency that flaps causes no installs and few writes.'],
  ['Removing a prerequisite warns, degrades and recovers.'],
  ['A missing dependency wins over the agent’s report.'],
  // Rollout and blast radius
  ['A Placement that vanishes, changes or cannot be read uninstalls nothing.'],
  ['The report on an earlier revision never counts.'],
  ['Budgets of a rollout hold at every admission.'],
  ['A failed upgrade loses nothing that runs.'],
  ['Rolling back ends in a defined state.'],
  ['A cluster that was away goes straight to the latest good revision.'],
  ['A person’s add-ons survive changes of the strategy.'],
  // Control plane
  ['One poisonous object degrades its own key only.'],
  ['Crashes, lost events and conflicts lead to the same final state.'],
  ['A cluster that floods the hub waits for itself alone.'],
  ['A deletion whose agent is gone ends after its deadline.'],
  ['Two leaders make no step twice.'],
  ['Clocks that jump neither end certificates nor skip soaks.'],
  // Cases from the first external review
  ['Nothing an agent may write changes which revision, work, binding or certificate it gets, nor anything of another cluster.'],
  [
    'Certificates last at most the cap, whatever is asked for.',
    'Without the webhook the API server’s own limit holds; `outrigger doctor` names it.',
  ],
  [
    'After a detach no credential of the old machine gains anything, and the name is not free before its last certificate ends.',
    'API servers before 1.32 send no credential ids: there only the wait protects. Deleting the Namespace of the cluster deletes the record.',
  ],
  ['Nothing of an object that an executor may not read appears anywhere.'],
  ['Every expression a tenant can store is bounded by the work it does.'],
  ['A request that stores more than it sends is refused above the limit of a real API server.'],
  ['Every write path of the embedded server asks for exactly the verbs a real one asks for.'],
  ['The shipped roles lead to no right outside of the documented list.'],
  ['An unauthenticated client costs no more than a small bound.'],
  ['Files we write end private and in place, whatever was there before.'],
  ['Commands we print are safe to paste for every name the API accepts.'],
  ['An installation beside another manager’s keeps and restores what was there.'],
  ['A rollout whose strategy, content and membership change at once stays within the budget in force.'],
  ['A rollback lands on content that completed before, or is refused.'],
];

export const ATTACK_CASES: readonly AttackCase[] = rules.map(([rule, gap], index) => ({
  id: `AT-${String(index + 1).padStart(2, '0')}`,
  rule,
  ...(gap === undefined ? {} : { gap }),
}));
