/** `GET /api/session`. */
export interface Session {
  /** `laptop`: local mode, opened with a one-time URL; acts as the kubeconfig's user. `hub`: acts as the user of a token. */
  readonly mode: 'laptop' | 'hub';
  readonly user: string;
  readonly groups: readonly string[];
  /** Display name of the hub: a kubeconfig context or a server URL. */
  readonly hub: string;
  readonly version: string;
  /** Whether the user may try to change rollouts. Kubernetes decides again when the action is sent. */
  readonly mayChangeRollouts: boolean;
  readonly mayChangeAddOns: boolean;
  /** Whether the user may create RolloutApprovals. Each policy has its own approvers, which the API server checks when a decision is sent. */
  readonly mayDecide: boolean;
}

/**
 * The body of `POST /api/session`, which needs the write header. Signs in with a bearer token for the hub; the response is 204 with the
 * cookie, or 401. `DELETE /api/session` signs out.
 */
export interface SignIn {
  readonly token: string;
}
