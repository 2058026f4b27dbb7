import type { OfferedAction } from '../actions.js';
import type { CellState, RolloutState } from '../fleet.js';
import type { ConditionItem, LaneCounts, ObjectLink, Time } from './values.js';

export interface AddOnPage {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly object: ObjectLink;
  readonly strategy: string;
  readonly rollout: RolloutState;
  readonly isPaused: boolean;
  readonly pinnedRevision?: number;
  readonly versions: readonly VersionItem[];
  readonly defaultVersion: string;
  readonly entries: readonly EntrySummary[];
  readonly revisions: readonly RevisionItem[];
  readonly dependencies: DependencyGraph;
  readonly configuration: readonly ConfigurationLayer[];
  /** Each default value in force, with the layer that sets it. */
  readonly values: readonly ProvenanceValue[];
  /** The reason why values are missing; absent if all were read. */
  readonly valuesProblem?: string;
  readonly rights: readonly HubRight[];
  readonly conditions: readonly ConditionItem[];
  readonly cells: Readonly<Record<CellState, number>>;
  readonly actions: readonly OfferedAction[];
}

export interface VersionItem {
  readonly version: string;
  readonly template: ObjectLink;
  readonly isDefault: boolean;
  readonly clusters: number;
}

export interface EntrySummary extends LaneCounts {
  readonly name: string;
  readonly targetRevision?: number;
  readonly targetVersion: string;
  readonly state: RolloutState;
  readonly message: string;
  readonly startedAt?: Time;
  /** The rollout strategy: `All`, `Progressive` or `ProgressivePerGroup`. */
  readonly strategy: string;
}

export interface RevisionItem {
  readonly revision: number;
  readonly version: string;
  readonly digest: string;
  readonly targetedAt?: Time;
  readonly configs: readonly string[];
  /** The entries whose target is this revision. */
  readonly entries: readonly string[];
  /** The number of clusters that have this revision now. */
  readonly clusters: number;
  /** The names of the first few clusters that have this revision. */
  readonly names: readonly string[];
  /** The times at which the revision became the target of an entry, each with the outcome of the rollout, newest first. */
  readonly outcomes: readonly TargetOutcome[];
  readonly isPinned: boolean;
  readonly rollBack?: OfferedAction;
}

export interface TargetOutcome {
  readonly entry: string;
  readonly at: Time;
  readonly endedAt?: Time;
  /** The outcome: `Completed`, `Halted`, `Superseded` or `RolledBack`; `''` while the rollout is in progress. */
  readonly outcome: string;
  /** The cause of the change: `Declaration`, `Template`, `Config`, `DefaultVersion`, `Pin` or `Automatic`; `''` if it is not known. */
  readonly cause: string;
  /** The field manager that made the change; `''` if it is not known. */
  readonly by: string;
  readonly selected: number;
  readonly done: number;
  readonly failed: number;
  /** The name of the stored record, which `ReplayPage` shows; absent if the hub keeps no record of this target. */
  readonly record?: string;
}

/** The add-on with its transitive dependencies and dependents. */
export interface DependencyGraph {
  readonly nodes: readonly { readonly name: string; readonly isDeclared: boolean }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly isRequired: boolean }[];
}

/** One layer. `entry` has precedence over `default`, and `cluster` has precedence over both. */
export interface ConfigurationLayer {
  readonly layer: 'default' | 'entry' | 'cluster';
  /** The entry or the cluster; `''` for the default. */
  readonly of: string;
  readonly configs: readonly { readonly resource: string; readonly object: ObjectLink; readonly isInForce: boolean }[];
}

export interface ProvenanceValue {
  readonly path: string;
  readonly value: string;
  readonly layer: 'default' | 'entry' | 'cluster';
  readonly of: string;
  /** The entries in which the value is in force; `''` means all entries. */
  readonly scope: string;
  readonly object: ObjectLink;
}

export interface HubRight {
  readonly template: string;
  /** The namespace in which the permission applies, or `cluster` for the cluster's namespace. */
  readonly scope: string;
  readonly role: string;
  readonly signer: string;
}
