import type { RolloutTarget } from '@outrigger/api';
import type { PinnedRef } from '../configuration/references.js';
import { type RevisionContent, revisionDigest } from './revision.js';

const HISTORY_LENGTH = 10;

/** The targets of an add-on, newest first, with a number for each content. */
export class TargetHistory {
  #targets: readonly RolloutTarget[];

  constructor(history: readonly RolloutTarget[]) {
    this.#targets = history;
  }

  get targets(): readonly RolloutTarget[] {
    return this.#targets;
  }

  find(revision: number | undefined): RolloutTarget | undefined {
    return revision === undefined ? undefined : this.#targets.find((target) => target.revision === revision);
  }

  /** The target of this content: the earlier one if there was one, so that going back is recognised, else one with the next number. */
  targetFor(content: RevisionContent, at: string): RolloutTarget {
    const digest = revisionDigest(content);
    const known = this.#targets.find((target) => target.digest === digest);
    if (known) return known;
    const target: RolloutTarget = {
      revision: Math.max(0, ...this.#targets.map(({ revision }) => revision)) + 1,
      version: content.version,
      digest,
      renderer: content.renderer,
      configs: content.configs.map(configOf),
      targetedAt: at,
    };
    this.#targets = [target, ...this.#targets];
    return target;
  }

  /** Keeps the last ten, and whatever an entry still names. */
  trim(named: ReadonlySet<number>): readonly RolloutTarget[] {
    return this.#targets.filter(({ revision }, position) => position < HISTORY_LENGTH || named.has(revision));
  }
}

function configOf({ group, resource, namespace, name, specHash }: PinnedRef): NonNullable<RolloutTarget['configs']>[number] {
  return { group, resource, ...(namespace === '' ? {} : { namespace }), name, specHash };
}
