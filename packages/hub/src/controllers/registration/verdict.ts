import type { AgentIdentity } from '../../registration/agent-identity.js';

/** The rules' decision about a request. */
export type Verdict =
  /** Another manager handles the request. */
  | { readonly type: 'ignore' }
  /** A prerequisite is missing. The request stays pending and is evaluated again when a relevant object changes. */
  | { readonly type: 'wait'; readonly why: string }
  /** Denied for a reason that no later change can resolve. */
  | { readonly type: 'deny'; readonly why: string }
  | {
      readonly type: 'approve';
      readonly message: string;
      /** A permission that the requester must still have. Only the API server can check it. */
      readonly review?: 'renew';
      /** The identity record of the cluster's agent, to store before the approval. */
      readonly identity?: AgentIdentity;
    };

export const IGNORE: Verdict = { type: 'ignore' };

export function wait(why: string): Verdict {
  return { type: 'wait', why };
}

export function deny(why: string): Verdict {
  return { type: 'deny', why };
}
