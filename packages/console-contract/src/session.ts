/**
 * The response of `GET /api/session`. `POST` with a body `{ token }` and the write header signs in with a bearer token for the hub, and
 * returns 204 with the cookie, or 401; `DELETE` signs out.
 */
export interface Session {
  /**
   * `laptop`: local mode, in which a one-time URL opens the console and the console acts as the kubeconfig's user. `hub`: the console acts
   * as the user of a token.
   */
  readonly mode: 'laptop' | 'hub';
  readonly user: string;
  readonly groups: readonly string[];
  /** Display name of the hub: a kubeconfig context or a server URL. */
  readonly hub: string;
  readonly version: string;
  /** Whether the user has permission to change rollouts. The API server checks the permission again when the console sends an action. */
  readonly mayChangeRollouts: boolean;
  readonly mayChangeAddOns: boolean;
  /** Whether the user may create RolloutApprovals. Each policy has its own approvers, which the API server checks when a decision is sent. */
  readonly mayDecide: boolean;
}
