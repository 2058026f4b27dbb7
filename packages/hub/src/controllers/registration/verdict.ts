import type { AgentIdentity } from '../../registration/agent-identity.js';

/** What the rules say about a request. */
export type Verdict =
  /** Somebody else's: not touched. */
  | { readonly type: 'ignore' }
  /** Not there yet: left pending, and looked at again when what is missing may have come. */
  | { readonly type: 'wait'; readonly why: string }
  /** Wrong for good. */
  | { readonly type: 'deny'; readonly why: string }
  | {
      readonly type: 'approve';
      readonly message: string;
      /** The requester must still hold this right, which only the API server can say. */
      readonly review?: 'renew';
      /** The record of the cluster's agent to store before it is certified. */
      readonly identity?: AgentIdentity;
    };

export const IGNORE: Verdict = { type: 'ignore' };

export function wait(why: string): Verdict {
  return { type: 'wait', why };
}

export function deny(why: string): Verdict {
  return { type: 'deny', why };
}
