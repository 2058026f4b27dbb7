import type { RolloutTarget } from '@outrigger/api';
import type { PinnedRef } from '../configuration/references.js';
import { type RevisionContent, revisionDigest } from './revision.js';

export const HISTORY_LENGTH = 10;
/** The number of the renderer for recorded targets that do not name one. */
export const FIRST_RENDERER = 1;

/** The targets of an add-on, newest first, each with its revision number. */
export class TargetHistory {
  #targets: readonly RolloutTarget[];

  readonly #floor: number;

  /** New revisions get numbers greater than `floor`. */
  constructor(history: readonly RolloutTarget[], floor = 0) {
    this.#targets = history;
    this.#floor = floor;
  }

  get targets(): readonly RolloutTarget[] {
    return this.#targets;
  }

  find(revision: number | undefined): RolloutTarget | undefined {
    return revision === undefined ? undefined : this.#targets.find((target) => target.revision === revision);
  }

  /**
   * Returns the earlier target with the same content, or a new target with the next number. An earlier target keeps its renderer, so a new
   * renderer alone moves no cluster, and a rollback restores exactly the same bytes.
   */
  targetFor(content: RevisionContent, at: string): RolloutTarget {
    const digests = new Map<number, string>();
    const digestWith = (renderer: number): string => {
      const digest = digests.get(renderer) ?? revisionDigest({ ...content, renderer });
      digests.set(renderer, digest);
      return digest;
    };
    const known = this.#targets.find(({ digest, renderer = FIRST_RENDERER }) => digest === digestWith(renderer));
    if (known) return known;
    const digest = digestWith(content.renderer);
    const target: RolloutTarget = {
      revision: Math.max(this.#floor, ...this.#targets.map(({ revision }) => revision)) + 1,
      version: content.version,
      digest,
      renderer: content.renderer,
      configs: content.configs.map(configOf),
      targetedAt: at,
    };
    this.#targets = [target, ...this.#targets];
    return target;
  }

  /** Returns the ten newest targets and all other targets whose revision is in `named`. */
  trim(named: ReadonlySet<number>): readonly RolloutTarget[] {
    return this.#targets.filter(({ revision }, position) => position < HISTORY_LENGTH || named.has(revision));
  }
}

function configOf({ group, resource, namespace, name, specHash }: PinnedRef): NonNullable<RolloutTarget['configs']>[number] {
  return { group, resource, ...(namespace === '' ? {} : { namespace }), name, specHash };
}
