import type { AddOnName, ClusterName, Strategy, Version } from '../world/objects.js';

/** A step of a user. Plain data, so that a history can be printed, shrunk and stored as a test. */
export type PersonStep =
  | { readonly do: 'declare'; readonly addOn: AddOnName; readonly strategy: Strategy }
  | { readonly do: 'delete declaration'; readonly addOn: AddOnName }
  | { readonly do: 'edit template'; readonly addOn: AddOnName; readonly version: Version; readonly content: string }
  | { readonly do: 'edit config'; readonly addOn: AddOnName; readonly level: string }
  /** One edit that brings new content, a new strategy and other members, at any instant of another rollout. */
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
  /** `back` counts from the newest entry of the history; undefined clears the pin. */
  | { readonly do: 'pin'; readonly addOn: AddOnName; readonly back: number | undefined }
  | { readonly do: 'confirm'; readonly addOn: AddOnName; readonly off: number }
  /** Sets or removes a field of the add-on on one cluster by hand. */
  | { readonly do: 'override version'; readonly addOn: AddOnName; readonly cluster: ClusterName; readonly version: Version | undefined }
  | { readonly do: 'override config'; readonly addOn: AddOnName; readonly cluster: ClusterName; readonly isSet: boolean }
  | { readonly do: 'install by hand'; readonly addOn: AddOnName; readonly cluster: ClusterName }
  | { readonly do: 'uninstall by hand'; readonly addOn: AddOnName; readonly cluster: ClusterName }
  | { readonly do: 'join'; readonly cluster: ClusterName; readonly fleet: boolean; readonly canary: boolean }
  | { readonly do: 'detach'; readonly cluster: ClusterName; readonly isForced: boolean };

/** What goes wrong. */
export type FaultStep =
  | { readonly do: 'lag'; readonly process: number; readonly resource: string; readonly ms: number; readonly forMs: number }
  | { readonly do: 'break watch'; readonly process: number; readonly resource: string; readonly forMs: number }
  | { readonly do: 'slow requests'; readonly forMs: number }
  | { readonly do: 'lose requests'; readonly count: number; readonly fate: 'lost' | 'answer lost' }
  | { readonly do: 'crash'; readonly writes: number; readonly downMs: number }
  | { readonly do: 'leader change' }
  | { readonly do: 'cluster away'; readonly cluster: ClusterName; readonly forMs: number }
  | { readonly do: 'flap'; readonly cluster: ClusterName; readonly forMs: number }
  | { readonly do: 'hub clock'; readonly ms: number };

export type Step = PersonStep | FaultStep;

/** A step, and the time since the previous step. */
export interface TimedStep {
  readonly afterMs: number;
  readonly step: Step;
}

/** A complete input of a run: equal histories give equal logs. */
export interface History {
  readonly seed: number;
  readonly hasReplica: boolean;
  /** A change starts a pass of the hub within this time; default 3 ms. */
  readonly paceMs?: number;
  /** Another program manages the clusters, as on a hub of Open Cluster Management: the clusters controller is switched off. */
  readonly hasForeignClusters?: boolean;
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
]);

export function isFault(step: Step): step is FaultStep {
  return FAULTS.has(step.do);
}
