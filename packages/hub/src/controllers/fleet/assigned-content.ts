import { REVISION_ANNOTATION, type RolloutTarget, managedClusterAddOns } from '@outrigger/api';
import type { ApiAction } from '@outrigger/kube';
import type { AddOnProjection } from '@outrigger/rules/observed';
import { assignedTarget, type TargetHistory } from '@outrigger/rules/revisions';
import { TargetReader } from '@outrigger/rules/rollout';
import type { StrategyEntry } from '@outrigger/rules/strategy';
import { patchObserved } from '../observed-actions.js';
import type { FleetState } from './state.js';

/**
 * The content that the hub has assigned to each cluster so far. Add-ons that are older than the record, or that come from a version of the
 * manager that wrote no annotations, are imported once: if such an add-on reports a revision that the record lists, that revision becomes
 * its annotation (addons.md §5).
 */
export class AssignedContent {
  readonly #state: FleetState;
  readonly #history: TargetHistory;
  readonly #readers = new Map<string, readonly TargetReader[]>();
  readonly #imported = new Map<AddOnProjection, RolloutTarget>();

  constructor(state: FleetState, history: TargetHistory) {
    this.#state = state;
    this.#history = history;
  }

  /** Returns the content that a cluster may have without a new admission, if any. */
  target(clusterAddOn: AddOnProjection | undefined, entry: StrategyEntry): RolloutTarget | undefined {
    if (!clusterAddOn) return undefined;
    const status = this.#state.rollout?.status ?? {};
    return (
      assignedTarget(status, clusterAddOn, entry.name) ??
      (this.#isImportable(clusterAddOn) ? this.#reported(clusterAddOn, entry) : undefined)
    );
  }

  /**
   * The actions that write the revisions of imported add-ons to their annotations. If the stored record does not list the revision yet, the
   * next pass writes the annotation.
   */
  get imports(): readonly ApiAction[] {
    const stored = this.#state.rollout?.status.history ?? [];
    return Array.from(this.#imported).flatMap(([clusterAddOn, { revision }]) =>
      stored.some((target) => target.revision === revision) ? [annotate(clusterAddOn, revision)] : [],
    );
  }

  /**
   * The value of `revisionsImported` for the next record: undefined while add-ons of an earlier manager version are being imported, false
   * while other add-ons are being imported, true when no add-on is left to import.
   */
  get marker(): boolean | undefined {
    if (this.#imported.size === 0) return true;
    return this.#isFromEarlierManager() ? undefined : false;
  }

  #isFromEarlierManager(): boolean {
    const { revisionsImported, entries } = this.#state.rollout?.status ?? {};
    return revisionsImported === undefined && entries !== undefined;
  }

  /**
   * Whether the add-on may be imported. With a new record, only add-ons older than the record are imported, because newer ones get their
   * revisions from the record.
   */
  #isImportable({ createdAt }: AddOnProjection): boolean {
    const { rollout } = this.#state;
    if (!rollout || rollout.status.revisionsImported === true) return false;
    return this.#isFromEarlierManager() || createdAt < rollout.createdAt;
  }

  #reported(clusterAddOn: AddOnProjection, entry: StrategyEntry): RolloutTarget | undefined {
    const readers =
      this.#readers.get(entry.name) ??
      [...this.#history.targets].sort((a, b) => b.revision - a.revision).map((target) => new TargetReader(entry, target));
    this.#readers.set(entry.name, readers);
    const target =
      clusterAddOn.report.configReferences.length === 0 ? undefined : readers.find((reader) => reader.read(clusterAddOn).atTarget)?.target;
    if (target) this.#imported.set(clusterAddOn, target);
    return target;
  }
}

/** Writes the revision of a cluster to the add-on's annotation, which only the hub writes. */
export function annotate(clusterAddOn: AddOnProjection, revision: number): ApiAction {
  const metadata = { annotations: { [REVISION_ANNOTATION]: String(revision) } };
  return patchObserved(clusterAddOn, managedClusterAddOns, `revision/${clusterAddOn.key.namespace ?? ''}`, { metadata });
}
