/** `GET /api/session`. */
export interface Session {
  /** `laptop`: opened with a one-time address, acts as the kubeconfig's user. `hub`: acts as the user of a token. */
  readonly mode: 'laptop' | 'hub';
  readonly user: string;
  readonly groups: readonly string[];
  /** Name of the hub for users: a kubeconfig context or a server address. */
  readonly hub: string;
  readonly version: string;
  /** Which actions the user may try. Kubernetes decides again when the action is sent. */
  readonly mayChangeRollouts: boolean;
  readonly mayChangeAddOns: boolean;
}

/**
 * `POST /api/session` (needs the write header): signs in with a bearer token of the hub; answers 204 with the cookie, or 401.
 * `DELETE /api/session`: signs out.
 */
export interface SignIn {
  readonly token: string;
}
