import { REVISION_ANNOTATION, type RolloutTarget, managedClusterAddOns } from '@outrigger/api';
import type { Action } from '@outrigger/kube';
import type { AddOnRecord } from '../../resources/add-ons.js';
import { HUB } from '../../resources/base.js';
import { heldTarget } from '../../revisions/granted.js';
import type { TargetHistory } from '../../revisions/target-history.js';
import type { StrategyEntry } from '../../strategy/entries.js';
import { TargetReader } from './observation.js';
import type { FleetState } from './state.js';

/**
 * What the hub has given each cluster so far. Add-ons from before the record, or from a manager that kept no annotations, are imported once:
 * a revision of the history that such an add-on reports to use becomes its annotation (addons.md §5).
 */
export class Grants {
  readonly #state: FleetState;
  readonly #history: TargetHistory;
  readonly #readers = new Map<string, readonly TargetReader[]>();
  readonly #imported = new Map<AddOnRecord, RolloutTarget>();

  constructor(state: FleetState, history: TargetHistory) {
    this.#state = state;
    this.#history = history;
  }

  /** The content a cluster has without a new admission; undefined where it has none. */
  held(addOn: AddOnRecord | undefined, entry: StrategyEntry): RolloutTarget | undefined {
    if (!addOn) return undefined;
    const status = this.#state.rollout?.status ?? {};
    return heldTarget(status, addOn, entry.name) ?? (this.#isImportable(addOn) ? this.#reported(addOn, entry) : undefined);
  }

  /** The annotations that keep what was imported. A revision that the stored record does not name yet waits for the next pass. */
  get imports(): readonly Action[] {
    const stored = this.#state.rollout?.status.history ?? [];
    return Array.from(this.#imported).flatMap(([addOn, { revision }]) =>
      stored.some((target) => target.revision === revision) ? [annotate(addOn, revision)] : [],
    );
  }

  /** What the record is to say about the import: absent while add-ons of an earlier manager are imported, false while others are. */
  get marker(): boolean | undefined {
    if (this.#imported.size === 0) return true;
    return this.#isFromEarlierManager() ? undefined : false;
  }

  #isFromEarlierManager(): boolean {
    const { revisionsImported, entries } = this.#state.rollout?.status ?? {};
    return revisionsImported === undefined && entries !== undefined;
  }

  /** Of a new record only add-ons that are older than it: those made since have their revisions from the record. */
  #isImportable({ createdAt }: AddOnRecord): boolean {
    const { rollout } = this.#state;
    if (!rollout || rollout.status.revisionsImported === true) return false;
    return this.#isFromEarlierManager() || createdAt < rollout.createdAt;
  }

  #reported(addOn: AddOnRecord, entry: StrategyEntry): RolloutTarget | undefined {
    const readers =
      this.#readers.get(entry.name) ??
      [...this.#history.targets].sort((a, b) => b.revision - a.revision).map((target) => new TargetReader(entry, target));
    this.#readers.set(entry.name, readers);
    const target = addOn.report.configReferences.length === 0 ? undefined : readers.find((reader) => reader.read(addOn).atTarget)?.target;
    if (target) this.#imported.set(addOn, target);
    return target;
  }
}

/** Writes down which revision a cluster has, where only the hub writes. */
export function annotate({ key, uid, resourceVersion }: AddOnRecord, revision: number): Action {
  return {
    type: 'patch',
    id: `revision/${key.namespace ?? ''}`,
    api: HUB,
    kind: managedClusterAddOns,
    key,
    patch: { metadata: { annotations: { [REVISION_ANNOTATION]: String(revision) } } },
    precondition: { uid, resourceVersion },
  };
}
