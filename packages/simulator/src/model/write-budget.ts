import type { Evidence, LogEntry, LoggedPass, ObjectHistory, Violation } from './log.js';
import { equal } from './json.js';
import { type DeclarationSpec, KIND, type RecordStatus, conditionOf, specOf, statusOf } from './reading.js';

/**
 * The hub's writes for a new add-on: the creates of the add-on and of its work, and three status patches. The write of an admitted
 * cluster's revision is not counted.
 */
const MOST_WRITES = 5;
/** If an installation takes longer than this, the hub may write intermediate reasons separately. */
const SHORT_MS = 5_000;
const PERSON = 'person';

interface Installation {
  readonly at: number;
  writes: number;
}

/**
 * addons.md §10: a fresh installation costs the hub at most five writes if nothing else changes in the meantime. The rule applies only to
 * runs without faults.
 */
export class WriteBudget {
  readonly #history: ObjectHistory;
  /**
   * The clusters on which a user changed objects. Installations on them are not counted, because the agent also reports on objects that it
   * did not write.
   */
  readonly #changedByHand: ReadonlySet<string>;
  readonly #running = new Map<string, Installation>();

  constructor(history: ObjectHistory, clusters: Evidence['clusters']) {
    this.#history = history;
    const hasChanges = (log: readonly LogEntry[]): boolean => log.some(({ actor, kind }) => actor === PERSON && kind !== 'namespaces');
    this.#changedByHand = new Set([...clusters].filter(([, log]) => hasChanges(log)).map(([name]) => name));
  }

  /** Checks one entry of the log. Called before the entry is added to the history. */
  judge(entry: LogEntry): readonly Violation[] {
    const { kind, id, actor, pass, at, before, after, index } = entry;
    if (actor === PERSON) this.#running.clear();
    if (kind === KIND.addOns && pass?.controller === 'fleet' && !before) {
      const [cluster = ''] = id.split('/');
      const isDecided = this.#isDecided(cluster, pass.seen[KIND.decisions]);
      const isUndisturbed = !this.#changedByHand.has(cluster) && isDecided && this.#isDeclared(pass.seen);
      if (isUndisturbed && this.#hasDependencies(id)) this.#running.set(id, { at, writes: 0 });
    }
    const installation = this.#running.get(addOnOf(kind, id));
    if (kind === KIND.addOns && isFlip(entry)) this.#forgetDependents(id);
    if (kind === KIND.decisions) this.#forgetDecided(entry);
    if (kind === KIND.rollouts && isRetargeted(entry)) this.#forget((other) => other.endsWith(`/${id}`));
    if (!installation || !pass?.process.startsWith('hub')) return [];
    if (!isRevisionOnly(entry)) installation.writes++;
    if (kind !== KIND.addOns) return [];
    if (!after || at - installation.at > SHORT_MS) this.#running.delete(id);
    else if (conditionOf(after, 'Progressing')?.reason === 'Succeed') {
      this.#running.delete(id);
      if (installation.writes > MOST_WRITES)
        return [{ rule: 'write budget', message: `the installation of ${id} costs ${installation.writes} writes`, index }];
    }
    return [];
  }

  /** If a dependency appears or disappears, the add-ons on its cluster may need further writes. */
  #forgetDependents(id: string): void {
    const [cluster = ''] = id.split('/');
    this.#forget((other) => other !== id && other.startsWith(`${cluster}/`));
  }

  /** A cluster that a Placement selects or no longer selects may get another entry, whose content needs further writes. */
  #forgetDecided({ before, after }: LogEntry): void {
    const [was, is] = [decidedIn(before), decidedIn(after)];
    const changed = new Set([...was.filter((name) => !is.includes(name)), ...is.filter((name) => !was.includes(name))]);
    this.#forget((id) => changed.has(id.split('/')[0] ?? ''));
  }

  /** Whether the PlacementDecisions that list the cluster are those that the pass had read. */
  #isDecided(cluster: string, count: number | undefined): boolean {
    const pages = (upTo?: number): readonly unknown[] =>
      this.#history.list(KIND.decisions, upTo).flatMap((page) => (decidedIn(page).includes(cluster) ? [page.metadata.name] : []));
    return equal(pages(count), pages());
  }

  /** Whether the declarations and their content have not changed since the pass read them. */
  #isDeclared(seen: LoggedPass['seen']): boolean {
    const specs = (kind: string, upTo?: number): readonly unknown[] =>
      this.#history.list(kind, upTo).map(({ metadata, spec }) => [metadata.name, spec]);
    return [KIND.declarations, KIND.templates, KIND.configs].every((kind) => equal(specs(kind, seen[kind]), specs(kind)));
  }

  #forget(isMeant: (id: string) => boolean): void {
    for (const id of this.#running.keys()) if (isMeant(id)) this.#running.delete(id);
  }

  /** Whether all dependencies of the add-on are available, so that the add-on does not wait for them. */
  #hasDependencies(id: string): boolean {
    const [cluster = '', name = ''] = id.split('/');
    const { dependencies = [] } = specOf<DeclarationSpec>(this.#history.get(KIND.declarations, name)) ?? {};
    return dependencies.every((one) => {
      const other = this.#history.get(KIND.addOns, `${cluster}/${one.name}`);
      return conditionOf(other, 'Available')?.status === 'True';
    });
  }
}

function decidedIn(page: LogEntry['after']): readonly string[] {
  const { decisions = [] } = statusOf<{ readonly decisions?: readonly { readonly clusterName: string }[] }>(page);
  return decisions.map(({ clusterName }) => clusterName);
}

function targetsOf(record: LogEntry['after']): readonly unknown[] {
  return (statusOf<RecordStatus>(record).entries ?? []).map(({ name, targetRevision }) => [name, targetRevision]);
}

function isRetargeted({ before, after }: LogEntry): boolean {
  return targetsOf(before).length > 0 && !equal(targetsOf(before), targetsOf(after));
}

function isFlip({ before, after }: LogEntry): boolean {
  return conditionOf(before, 'Available')?.status !== conditionOf(after, 'Available')?.status;
}

/** Whether the write only sets the revision of the cluster (addons.md §5). */
function isRevisionOnly({ before, after }: LogEntry): boolean {
  const revision = (object: LogEntry['after']): string | undefined => object?.metadata.annotations?.['outrigger.dev/revision'];
  return before !== undefined && revision(before) !== revision(after) && before.status === after?.status;
}

/** Returns the add-on to which an add-on or a work belongs; empty for other kinds. */
function addOnOf(kind: string, id: string): string {
  if (kind === KIND.addOns) return id;
  const [cluster = '', name = ''] = id.split('/');
  return kind === KIND.works ? `${cluster}/${name.replace(/^addon-/, '').replace(/-deploy-\d+$/, '')}` : '';
}
