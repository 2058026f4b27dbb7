import type { CellState, ClusterState } from '../fleet.js';
import type { ActivityGroup } from './activity.js';
import type { ConfigurationLayer, ProvenanceValue } from './add-on.js';
import type { ConditionItem, ObjectLink, Time } from './values.js';

export interface ClusterPage {
  readonly name: string;
  readonly object: ObjectLink;
  readonly state: ClusterState;
  readonly labels: Readonly<Record<string, string>>;
  readonly claims: readonly { readonly name: string; readonly value: string }[];
  readonly taints: readonly { readonly key: string; readonly value: string; readonly effect: string }[];
  readonly kubernetes: string;
  readonly conditions: readonly ConditionItem[];
  readonly lease?: { readonly renewedAt?: Time };
  /** The add-ons in dependency order: each comes after its dependencies. */
  readonly addOns: readonly ClusterAddOn[];
  /** The works; absent if the user may not read them. */
  readonly works?: readonly WorkItem[];
  readonly events: readonly ActivityGroup[];
}

export interface ClusterAddOn {
  readonly name: string;
  readonly dependsOn: readonly string[];
  readonly state: CellState;
  readonly version: string;
  readonly target: string;
  readonly reason: string;
  /** Whether the add-on's version or configuration differs from the most frequent one among the clusters that the user may see. */
  readonly differsFromFleet: boolean;
}

export interface CellPage {
  readonly cluster: string;
  readonly addOn: string;
  readonly object?: ObjectLink;
  readonly state: CellState;
  readonly version: string;
  readonly target: string;
  readonly revision?: number;
  /** The explanation of `outrigger why`, from the declaration to the cause. */
  readonly why: WhyChain;
  readonly conditions: readonly ConditionItem[];
  readonly values: readonly ProvenanceValue[];
  readonly configuration: readonly ConfigurationLayer[];
  readonly registrations: readonly RegistrationItem[];
  /** The works of the add-on; absent if the user may not read ManifestWorks. */
  readonly works?: readonly WorkItem[];
  /** The differences between the manifests in the works and those of the previous revision and of the target, as far as they are known. */
  readonly diffs?: CellDiffs;
  /** The reason why the differences are unknown. */
  readonly diffsProblem?: string;
  readonly valuesProblem?: string;
}

export interface WhyChain {
  /** The verdict: `available`, `absent`, `waiting`, `blocked`, `unavailable` or `removing`. */
  readonly verdict: string;
  /** The state of the cell, followed by the verdict if the verdict adds information. `outrigger why` prints the same words. */
  readonly headline: string;
  readonly links: readonly WhyLink[];
}

export interface WhyLink {
  readonly type: 'ok' | 'wait' | 'stop' | 'note';
  readonly text: string;
  readonly hint?: string;
  readonly object?: ObjectLink;
  readonly isCause: boolean;
}

export interface RegistrationItem {
  readonly type: string;
  readonly signer: string;
  readonly user: string;
  readonly groups: readonly string[];
  /** The start of the validity of the client certificate that the agent reports. `expiresAt` is the end. */
  readonly issuedAt?: Time;
  readonly expiresAt?: Time;
  /** The problem that the conditions report; `''` if there is none. */
  readonly problem: string;
}

export interface WorkItem {
  readonly name: string;
  readonly addOn: string;
  readonly object: ObjectLink;
  readonly conditions: readonly ConditionItem[];
  readonly manifests: readonly ManifestItem[];
}

export interface ManifestItem {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly conditions: readonly ConditionItem[];
  readonly feedback: readonly { readonly name: string; readonly value: string }[];
  /** The manifest as YAML, with Secret data masked. Only the cell page has it; elsewhere it is `''`. */
  readonly yaml: string;
  /** Whether the content of the manifest is left out because the manifests on the page are too large in total. */
  readonly isLeftOut?: boolean;
}

export interface CellDiffs {
  /** The difference from the previous revision to the works; absent if it is not known. */
  readonly previous?: RevisionDiff;
  /** The difference from the works to the target; absent if the cluster has the target. */
  readonly target?: RevisionDiff;
}

export interface RevisionDiff {
  readonly revision: number;
  readonly version: string;
  readonly changes: readonly ManifestDiff[];
}

export interface ManifestDiff {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  /** `…` stands for unchanged lines that are left out. */
  readonly mark: ' ' | '+' | '-' | '…';
  readonly text: string;
}
