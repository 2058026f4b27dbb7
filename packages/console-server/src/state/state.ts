import {
  type AddOnRollout,
  type AddOnTemplate,
  ADDON_VERSION_LABEL,
  type ClusterManagementAddOn,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type Placement,
  type PlacementDecision,
  type RbacSubject,
  type RolloutApproval,
  type RoleBinding,
} from '@outrigger/api';
import { type Intern, type KubeObject, deepEqual, parseTime, withoutManagedFields } from '@outrigger/core';
import type { ActivityItem } from '@outrigger/console-contract';
import { type CoreEvent, activityItem } from './activity.js';
import { ChangeLog } from './change-log.js';
import {
  type ReportedAddOn,
  type SteeringTimes,
  type TemplateSummary,
  reportedAddOn,
  reducedCluster,
  steeringTimes,
} from './projections.js';
import { createIntern } from './intern.js';
import { targetVersion } from './targets.js';

/** The data that the views read, in plain maps that only `ConsoleState` changes. */
export interface FleetState {
  readonly declarations: ReadonlyMap<string, ClusterManagementAddOn>;
  readonly rollouts: ReadonlyMap<string, AddOnRollout>;
  /** For each rollout, the times at which the fields that users set were last written. */
  readonly changedBy: ReadonlyMap<string, SteeringTimes>;
  readonly templates: ReadonlyMap<string, TemplateSummary>;
  readonly placements: ReadonlyMap<string, Placement>;
  readonly decisions: ReadonlyMap<string, PlacementDecision>;
  readonly clusters: ReadonlyMap<string, ManagedCluster>;
  /** The report of each add-on with its times, by cluster and add-on name. */
  readonly addOns: ReadonlyMap<string, ReadonlyMap<string, ReportedAddOn>>;
  /** The subjects of each RoleBinding, by `namespace/name` of the RoleBinding. */
  readonly bindings: ReadonlyMap<string, readonly RbacSubject[]>;
  readonly approvals: ReadonlyMap<string, RolloutApproval>;
  /** The Events of the fleet by id. */
  readonly activity: ReadonlyMap<string, ActivityItem>;
}

/** The number of newest Events that are always kept. */
export const MOST_EVENTS = 5_000;
/** The number of further Events after which the oldest are dropped, so that Events are not sorted for each new one. */
const SPARE_EVENTS = 500;

/** The single copy of the fleet in this process: projected objects from the watches, and the log of their changes. */
export class ConsoleState implements FleetState {
  readonly declarations: Map<string, ClusterManagementAddOn> = new Map();
  readonly rollouts: Map<string, AddOnRollout> = new Map();
  readonly changedBy: Map<string, SteeringTimes> = new Map();
  readonly templates: Map<string, TemplateSummary> = new Map();
  readonly placements: Map<string, Placement> = new Map();
  readonly decisions: Map<string, PlacementDecision> = new Map();
  readonly clusters: Map<string, ManagedCluster> = new Map();
  readonly addOns: Map<string, Map<string, ReportedAddOn>> = new Map();
  readonly bindings: Map<string, readonly RbacSubject[]> = new Map();
  readonly approvals: Map<string, RolloutApproval> = new Map();
  readonly activity: Map<string, ActivityItem> = new Map();
  readonly log: ChangeLog = new ChangeLog();
  /** Increases when permissions change, so that cached answers about permissions can be dropped. */
  rightsVersion = 0;
  readonly #intern: Intern = createIntern();
  /** The time of each Event in `activity`, in milliseconds since the epoch. */
  readonly #eventTimes = new Map<string, number>();
  /** The time of the latest creation of an Event, according to the API server. */
  #lastCreatedAt = 0;

  setDeclaration(object: KubeObject | undefined, name: string): void {
    this.#whileTargetsMove(name, () => put(this.declarations, name, object && withoutManagedFields(object as ClusterManagementAddOn)));
  }

  setRollout(object: KubeObject | undefined, name: string): void {
    this.#whileTargetsMove(name, () => {
      put(this.changedBy, name, object && steeringTimes(object));
      put(this.rollouts, name, object && withoutManagedFields(object as AddOnRollout));
    });
  }

  setTemplate(object: KubeObject | undefined, name: string): void {
    const template = object as AddOnTemplate | undefined;
    const before = this.templates.get(name);
    const after = template && {
      name,
      addOn: template.spec.addonName,
      version: template.metadata.labels?.[ADDON_VERSION_LABEL] ?? '',
      registration: template.spec.registration ?? [],
    };
    put(this.templates, name, after);
    for (const addOn of new Set([before?.addOn, after?.addOn])) if (addOn !== undefined) this.log.add({ addOn });
  }

  setPlacement(object: KubeObject | undefined, id: string): void {
    put(this.placements, id, object && withoutManagedFields(object as Placement));
  }

  setDecision(object: KubeObject | undefined, id: string): void {
    put(this.decisions, id, object && withoutManagedFields(object as PlacementDecision));
  }

  setCluster(object: KubeObject | undefined, name: string): void {
    const reduced = object && reducedCluster(object as ManagedCluster, this.#intern);
    const before = this.clusters.get(name);
    if (before !== undefined && reduced !== undefined && deepEqual(before, reduced)) return;
    put(this.clusters, name, reduced);
    this.log.add({ cluster: name });
  }

  setAddOn(object: KubeObject | undefined, cluster: string, addOn: string): void {
    const here = this.addOns.get(cluster) ?? new Map<string, ReportedAddOn>();
    const reported = object && reportedAddOn(object as ManagedClusterAddOn, this.#intern);
    const before = here.get(addOn);
    if (before && reported && isSame(before, reported)) return;
    put(here, addOn, reported);
    if (here.size > 0) this.addOns.set(cluster, here);
    else this.addOns.delete(cluster);
    this.log.add({ cluster, addOn });
  }

  setBinding(object: KubeObject | undefined, id: string): void {
    put(this.bindings, id, object && this.#intern((object as RoleBinding).subjects ?? []));
    this.rightsVersion++;
  }

  setApproval(object: KubeObject | undefined, name: string): void {
    put(this.approvals, name, object && withoutManagedFields(object as RolloutApproval));
    this.log.add({});
  }

  setEvent(object: KubeObject | undefined, id: string): void {
    // Keep expired Events, so that the activity page covers a longer time than Kubernetes does.
    if (object === undefined) return;
    const item = activityItem(object as CoreEvent, id);
    if (item === undefined) return;
    this.activity.set(id, item);
    this.#lastCreatedAt = Math.max(this.#lastCreatedAt, parseTime(object.metadata.creationTimestamp) ?? 0);
    // The writer of an Event chooses its time. An Event from the future counts as new when it arrives, so that it does not stay forever.
    this.#eventTimes.set(id, Math.min(parseTime(item.at) ?? 0, this.#lastCreatedAt));
    if (this.activity.size > MOST_EVENTS + SPARE_EVENTS) this.#dropOldEvents();
    this.log.add({});
  }

  #dropOldEvents(): void {
    const oldestFirst = [...this.#eventTimes].sort(([, a], [, b]) => a - b);
    for (const [id] of oldestFirst.slice(0, -MOST_EVENTS)) {
      this.activity.delete(id);
      this.#eventTimes.delete(id);
    }
  }

  /**
   * Makes a change that may change targets of an add-on. Logs the change for the add-on and for each cell whose target version differs
   * afterwards.
   */
  #whileTargetsMove(addOn: string, change: () => void): void {
    const before = { rollout: this.rollouts.get(addOn), managementAddOn: this.declarations.get(addOn) };
    change();
    const after = { rollout: this.rollouts.get(addOn), managementAddOn: this.declarations.get(addOn) };
    this.log.add({ addOn });
    for (const [cluster, here] of this.addOns) {
      const report = here.get(addOn)?.report;
      if (report === undefined) continue;
      const at = { report, cluster, addOn };
      if (targetVersion({ ...at, ...before }) !== targetVersion({ ...at, ...after })) this.log.add({ cluster, addOn });
    }
  }
}

function isSame(a: ReportedAddOn, b: ReportedAddOn): boolean {
  return a.report === b.report && a.createdAt === b.createdAt && a.progressingAt === b.progressingAt && a.availableAt === b.availableAt;
}

function put<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
