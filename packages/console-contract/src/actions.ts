/**
 * `POST /api/actions` with an Action; the write uses the user's own token, so an RBAC denial is returned as 403 with the API server's
 * message. With `?dryRun=true` the API server checks the write and stores nothing.
 */
export type Action =
  | { readonly action: 'pause'; readonly addOn: string }
  | { readonly action: 'resume'; readonly addOn: string }
  /** Pins every cluster to the revision until `follow`. */
  | { readonly action: 'roll-back'; readonly addOn: string; readonly revision: number }
  | { readonly action: 'follow'; readonly addOn: string }
  /** All rollouts of the fleet, present and future. */
  | { readonly action: 'pause-all' }
  | { readonly action: 'resume-all' }
  /** `count` is the number that the user saw; the action is rejected if the number has changed. */
  | { readonly action: 'confirm-removal'; readonly addOn: string; readonly count: number }
  | DecideAction;

/** A decision about a gate of a RolloutPolicy, for one revision of one entry. */
export interface DecideAction {
  readonly action: 'decide';
  readonly verb: DecisionVerb;
  readonly addOn: string;
  readonly entry: string;
  readonly revision: number;
  /** `<policy>/<gate>`. */
  readonly gate: string;
  readonly group?: string;
  /** The reason; required for an override. */
  readonly comment?: string;
  /** How many hours an override lasts: 1 to 24; 1 if absent. */
  readonly hours?: number;
}

export const DECISION_VERBS = ['approve', 'reject', 'override', 'retry'] as const;
export type DecisionVerb = (typeof DECISION_VERBS)[number];

/** A button of a view: its action, and the equivalent command. */
export interface OfferedAction {
  readonly action: Action;
  /** The text of the button, for example `Pause`. */
  readonly label: string;
  /** For example `outrigger rollout pause metrics`. */
  readonly command: string;
  /** The question to the user before the action is sent; absent if no question is needed. */
  readonly question?: string;
  /** Whether the dialog asks for a reason, which becomes the `comment` of the decision; absent if the dialog asks for none. */
  readonly reason?: 'optional' | 'required';
}

export interface ActionResult {
  /** A one-line message about the stored change. */
  readonly message: string;
  readonly command: string;
}
