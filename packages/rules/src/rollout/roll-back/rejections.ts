import type { RejectedContent, RolloutEntry, RolloutTarget } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import type { GateDecision } from '../../policy/decisions.js';
import { targetRefs } from '../../revisions/revision.js';

/** The record keeps this many rejections per entry, newest first. */
const MAX_REJECTIONS = 20;

/**
 * Digest of a target's content without the number of its renderer, so that an upgrade of the manager does not make rejected content look
 * new.
 */
export function contentDigest(target: RolloutTarget): string {
  const configs = targetRefs(target).map(({ group, resource, namespace, name, specHash }) => ({
    group,
    resource,
    namespace,
    name,
    specHash,
  }));
  return sha256Hex(canonicalJson({ version: target.version ?? '', configs }));
}

/** The rejections of an add-on. A rejection applies to all entries of the add-on, not only to the entry that failed. */
export class Rejections {
  readonly list: readonly RejectedContent[];
  readonly #byDigest: ReadonlyMap<string, RejectedContent>;

  constructor(list: readonly RejectedContent[]) {
    this.list = list;
    this.#byDigest = new Map(list.map((one) => [one.digest, one]));
  }

  /** Returns the rejection of the content of this target; undefined if the content is not rejected. */
  of(target: RolloutTarget): RejectedContent | undefined {
    return this.#byDigest.size === 0 ? undefined : this.#byDigest.get(contentDigest(target));
  }

  /** Returns the rejections with the added ones, newest first. The oldest are dropped. */
  with(added: readonly RejectedContent[]): readonly RejectedContent[] {
    const fresh = added.filter(({ digest }) => !this.#byDigest.has(digest));
    if (fresh.length === 0) return this.list;
    const distinct = new Map(fresh.map((one) => [one.digest, one]));
    return [...distinct.values(), ...this.list].slice(0, MAX_REJECTIONS);
  }
}

/** No content is rejected. */
export const NO_REJECTIONS: Rejections = new Rejections([]);

/**
 * The rejections in force: all rejections in the record that no Retried decision has lifted. If `decisions` is undefined, because the API
 * server does not check who writes RolloutApprovals, nothing lifts a rejection.
 */
export function standingRejections(
  entries: readonly Pick<RolloutEntry, 'rejected'>[],
  decisions: readonly GateDecision[] | undefined,
  rollout: { readonly addOn: string; readonly createdAt: number },
): Rejections {
  const all = new Map(entries.flatMap(({ rejected = [] }) => rejected.map((one) => [one.digest, one] as const)));
  if (all.size === 0) return NO_REJECTIONS;
  const retries = (decisions ?? []).filter(
    ({ decision, addOn, createdAt }) => decision === 'Retried' && addOn === rollout.addOn && createdAt >= rollout.createdAt,
  );
  const standing = [...all.values()].filter((rejection) => !retries.some((retry) => lifts(retry, rejection)));
  return new Rejections(standing.sort(newestFirst));
}

/** A decision lifts the rejection that it names by gate and revision, if the rejection is not newer than the decision. */
function lifts({ gate, revision, createdAt }: GateDecision, rejection: RejectedContent): boolean {
  const at = parseTime(rejection.at) ?? Number.POSITIVE_INFINITY;
  return gate === rejection.gate && revision === rejection.revision && createdAt >= at;
}

function newestFirst(a: RejectedContent, b: RejectedContent): number {
  return a.at === b.at ? (a.digest < b.digest ? -1 : 1) : a.at > b.at ? -1 : 1;
}
