import { errorMessage, type Runtime } from '@outrigger/core';
import type { Client } from '../client/types.js';
import { type Claim, claimAll } from '../leader/claim.js';
import type { Leader } from '../leader/leader.js';
import type { ApiName, Resource } from '../resource.js';

export interface LeaderClaimOptions {
  readonly runtime: Runtime;
  readonly apis: Readonly<Record<ApiName, Client>>;
  readonly leader: Leader | undefined;
  readonly claim: Claim | undefined;
  readonly isRead: (resource: Resource) => boolean;
  /** Called when all objects are claimed for this leader. */
  readonly onClaimed: () => void;
}

/** Claims the objects of `claim` when this process becomes leader. Without a leader election, no object is claimed. */
export class LeaderClaim {
  readonly #options: LeaderClaimOptions;
  readonly #claimed: ReadonlySet<Resource>;
  #claiming: AbortController | undefined;
  /** Whether this process, as leader, has claimed all objects. */
  #isClaimed = false;

  constructor(options: LeaderClaimOptions) {
    this.#options = options;
    this.#claimed = new Set(options.leader ? options.claim?.resources : []);
  }

  /** Whether controllers may act on the resource. They may if its objects need not be claimed, or if this leader has claimed them. */
  allows(resource: Resource): boolean {
    return this.#isClaimed || !this.#claimed.has(resource);
  }

  /**
   * Starts to claim the objects after all objects of their kinds were read. Until the objects are claimed, a controller that needs one of
   * these kinds is not active.
   */
  startIfReadable(): void {
    const { runtime, apis, leader, claim, isRead, onClaimed } = this.#options;
    const term = leader?.term;
    if (this.#isClaimed || this.#claiming || !claim || term === undefined) return;
    if (!claim.resources.every(isRead)) return;
    this.#claiming = new AbortController();
    const { signal } = this.#claiming;
    claimAll(claim, { runtime, apis, term, signal })
      .then(() => {
        if (signal.aborted) return;
        this.#isClaimed = true;
        onClaimed();
      })
      .catch(
        (error: unknown) =>
          signal.aborted || runtime.log.error({ error: errorMessage(error) }, 'claim of objects for the new leader ended'),
      );
  }

  end(reason: string): void {
    this.#claiming?.abort(new Error(reason));
    this.#claiming = undefined;
    this.#isClaimed = false;
  }
}
