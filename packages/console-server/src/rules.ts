import type {
  AddOnRollout,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  Placement,
  PlacementDecision,
} from '@outrigger/api';

/** The objects that an explanation uses. */
export interface ExplainedObjects {
  readonly addOns: readonly ClusterManagementAddOn[];
  readonly clusters: readonly ManagedCluster[];
  readonly installed: readonly ManagedClusterAddOn[];
  readonly rollouts: readonly AddOnRollout[];
  readonly placements: readonly Placement[];
  readonly decisions: readonly PlacementDecision[];
}

export interface ExplainedLink {
  readonly type: 'ok' | 'wait' | 'stop' | 'note';
  readonly text: string;
  readonly hint?: string;
}

export interface Explanation {
  readonly verdict: string;
  readonly links: readonly ExplainedLink[];
  readonly cause: ExplainedLink | undefined;
}

/** The rules of the add-on manager that views show the outcome of. They are given, so that each rule exists once. */
export interface ConsoleRules {
  /** `outrigger why`. */
  explain(objects: ExplainedObjects, addOn: string, cluster: string): Explanation;
  /** The manifest with the contents of Secrets replaced by digests. */
  redact(manifest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}
