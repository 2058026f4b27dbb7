import type { MachineName } from '../world/credentials.js';
import type { AddOnName, ClusterName, Dependency, Entry, PlacementName, Strategy, Version } from '../world/objects.js';
import type { GateName, PolicyName, PolicyShape } from '../world/policies.js';

/** A step by a user. It is plain data, so that a history can be printed, shrunk and stored as a test. */
export type PersonStep =
  | { readonly do: 'declare'; readonly addOn: AddOnName; readonly strategy: Strategy }
  | { readonly do: 'delete declaration'; readonly addOn: AddOnName }
  | { readonly do: 'edit template'; readonly addOn: AddOnName; readonly version: Version; readonly content: string }
  | { readonly do: 'edit config'; readonly addOn: AddOnName; readonly level: string }
  /** One edit that changes content, strategy and members together, possibly in the middle of a rollout. */
  | {
      readonly do: 'edit everything';
      readonly addOn: AddOnName;
      readonly strategy: Strategy;
      readonly version: Version;
      readonly content: string;
      readonly clusters: readonly ClusterName[];
    }
  | { readonly do: 'label'; readonly cluster: ClusterName; readonly fleet: boolean; readonly canary: boolean }
  | { readonly do: 'group size'; readonly size: number }
  | { readonly do: 'pause'; readonly addOn: AddOnName; readonly paused: boolean }
  /** Pins the revision that is `back` places before the newest one; undefined removes the pin. */
  | { readonly do: 'pin'; readonly addOn: AddOnName; readonly back: number | undefined }
  | { readonly do: 'confirm'; readonly addOn: AddOnName; readonly off: number }
  /** Sets or removes a field of the add-on on one cluster by hand. */
  | { readonly do: 'override version'; readonly addOn: AddOnName; readonly cluster: ClusterName; readonly version: Version | undefined }
  | { readonly do: 'override config'; readonly addOn: AddOnName; readonly cluster: ClusterName; readonly isSet: boolean }
  | { readonly do: 'install by hand'; readonly addOn: AddOnName; readonly cluster: ClusterName }
  | { readonly do: 'uninstall by hand'; readonly addOn: AddOnName; readonly cluster: ClusterName }
  | { readonly do: 'join'; readonly cluster: ClusterName; readonly fleet: boolean; readonly canary: boolean }
  | { readonly do: 'detach'; readonly cluster: ClusterName; readonly isForced: boolean }
  | { readonly do: 'policy'; readonly policy: PolicyName; readonly shape: PolicyShape }
  | { readonly do: 'delete policy'; readonly policy: PolicyName }
  /** A decision about a gate, for the revision that is the target of each entry at that time. */
  | {
      readonly do: 'decide';
      readonly addOn: AddOnName;
      readonly gate: GateName;
      readonly decision: 'Approved' | 'Rejected' | 'Overridden' | 'Retried';
      readonly by: string;
    }
  /** The value that the metrics provider reports for an add-on from now on; undefined if the provider does not answer. */
  | { readonly do: 'metrics'; readonly addOn: AddOnName; readonly value: number | undefined }
  /**
   * A user of the cluster changes an object that an add-on has applied there, removes its owner, or creates an object with the same name.
   */
  | {
      readonly do: 'on cluster';
      readonly cluster: ClusterName;
      readonly addOn: AddOnName;
      readonly change: 'edit' | 'delete' | 'create' | 'disown';
    }
  /** Pins one entry, as `pin` does for all entries. */
  | { readonly do: 'pin entry'; readonly addOn: AddOnName; readonly isCanary: boolean; readonly back: number | undefined }
  | EditStep;

/** An edit of one part of a declaration, or of a Placement that entries follow. */
export type EditStep =
  /**
   * Replaces all entries of the strategy, each with its own rollout settings: entries are added, removed, reordered and renamed. The list may
   * be empty.
   */
  | { readonly do: 'edit entries'; readonly addOn: AddOnName; readonly entries: readonly Entry[] }
  /** Replaces the dependencies. They may form a cycle, because no webhook refuses one. */
  | { readonly do: 'edit dependencies'; readonly addOn: AddOnName; readonly dependencies: readonly Dependency[] }
  | { readonly do: 'create placement'; readonly placement: PlacementName }
  | { readonly do: 'delete placement'; readonly placement: PlacementName };

/**
 * A step about certificates. `machine` is one of the two machines that use the name of the cluster. Only one of them holds the name; the
 * other machine held it earlier, or is about to take it.
 */
export type RegistrationStep =
  | { readonly do: 'ask to join'; readonly cluster: ClusterName; readonly machine: MachineName }
  | { readonly do: 'renew'; readonly cluster: ClusterName; readonly machine: MachineName }
  | { readonly do: 'ask for add-on'; readonly cluster: ClusterName; readonly machine: MachineName }
  /**
   * An administrator confirms that the name of a detached cluster may be used again before the last certificate under that name has
   * expired.
   */
  | { readonly do: 'allow reuse'; readonly cluster: ClusterName }
  /** A request that the hub must not approve, and what is wrong with it. */
  | {
      readonly do: 'wrong request';
      readonly cluster: ClusterName;
      readonly wrong: 'requester' | 'subject' | 'usages' | 'add-on' | 'token';
    };

/** A step that causes a fault. */
export type FaultStep =
  | { readonly do: 'lag'; readonly process: number; readonly resource: string; readonly ms: number; readonly forMs: number }
  | { readonly do: 'break watch'; readonly process: number; readonly resource: string; readonly forMs: number }
  | { readonly do: 'slow requests'; readonly forMs: number }
  | { readonly do: 'lose requests'; readonly count: number; readonly fate: 'lost' | 'answer lost' }
  | { readonly do: 'crash'; readonly writes: number; readonly downMs: number }
  | { readonly do: 'leader change' }
  | { readonly do: 'cluster away'; readonly cluster: ClusterName; readonly forMs: number }
  | { readonly do: 'flap'; readonly cluster: ClusterName; readonly forMs: number }
  | { readonly do: 'agent crash'; readonly cluster: ClusterName; readonly writes: number; readonly downMs: number }
  | { readonly do: 'hub clock'; readonly ms: number }
  /**
   * A manager of a later version writes every record in a format that the shipped manager does not know. After the given time it writes the
   * format back that the record had before. The shipped manager runs all the time.
   */
  | { readonly do: 'later manager'; readonly forMs: number }
  | SystemFaultStep;

/** The servers of the second layer: that of the hub, and one per cluster. */
export type ServerName = 'hub' | ClusterName;

/** A fault of whole servers and machines. Only the second layer of the simulation has these. */
export type SystemFaultStep =
  /**
   * An API server ends and starts again over the same store. All connections to it break, requests in flight are lost, and so is everything
   * that the server kept in memory.
   */
  | { readonly do: 'server restart'; readonly server: ServerName; readonly downMs: number }
  /**
   * All connections to an API server break for some time. Meanwhile its history is compacted, so that no client can resume a watch: each one
   * gets a 410 Gone and must list again.
   */
  | { readonly do: 'history lost'; readonly server: ServerName; readonly forMs: number }
  /** The clock of the machine on which the agent of a cluster runs makes a step, and a step back later. */
  | { readonly do: 'agent clock'; readonly cluster: ClusterName; readonly ms: number; readonly forMs: number }
  /**
   * The admission webhooks of the hub cannot be reached for some time: connections are refused or, if the outage is silent, calls are never
   * answered. A hub whose history has such a step has the webhooks from the start.
   */
  | { readonly do: 'webhook outage'; readonly forMs: number; readonly isSilent: boolean }
  /**
   * The agent of a cluster goes away and returns after the steps, when its certificate has expired. Then a user lets the cluster join again.
   * This agent has joined with a token; those of the other clusters have no certificate.
   */
  | { readonly do: 'certificate expires'; readonly cluster: ClusterName };

export type Step = PersonStep | RegistrationStep | FaultStep;

/** A step, and the time since the previous step. */
export interface TimedStep {
  readonly afterMs: number;
  readonly step: Step;
}

/** The complete input of a run. Equal histories give equal logs. */
export interface History {
  readonly seed: number;
  readonly hasReplica: boolean;
  /** The maximum time between a change and the pass of the hub that it starts. Defaults to 3 ms. */
  readonly paceMs?: number;
  /**
   * Whether another program manages the clusters, as on a hub of Open Cluster Management, so that the clusters controller is switched off.
   */
  readonly hasOtherManager?: boolean;
  /** Whether each cluster has its own API server and runs the agent's work controllers. If not, a model agent reports on the works. */
  readonly hasRealAgents?: boolean;
  /** Whether the registration controller runs and machines ask for certificates. */
  readonly hasRegistration?: boolean;
  readonly steps: readonly TimedStep[];
}

const FAULTS: ReadonlySet<Step['do']> = new Set<FaultStep['do']>([
  'lag',
  'break watch',
  'slow requests',
  'lose requests',
  'crash',
  'leader change',
  'cluster away',
  'flap',
  'hub clock',
  'agent crash',
  'later manager',
  'server restart',
  'history lost',
  'agent clock',
  'webhook outage',
  'certificate expires',
]);

export function isFault(step: Step): step is FaultStep {
  return FAULTS.has(step.do);
}

const REGISTRATION: ReadonlySet<Step['do']> = new Set<RegistrationStep['do']>([
  'ask to join',
  'renew',
  'ask for add-on',
  'allow reuse',
  'wrong request',
]);

export function isRegistrationStep(step: Step): step is RegistrationStep {
  return REGISTRATION.has(step.do);
}

/** The clusters that users detach in a history. */
export function detachedClusters({ steps }: History): ReadonlySet<string> {
  return new Set(steps.flatMap(({ step }) => (step.do === 'detach' ? [step.cluster] : [])));
}
