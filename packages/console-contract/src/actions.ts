/**
 * The body of `POST /api/actions`. The server writes with the user's own token, so a denial by RBAC is returned as 403 with the API
 * server's message. With `?dryRun=true` the API server checks the write but stores nothing.
 */
export type Action =
  | { readonly action: 'pause'; readonly addOn: string }
  | { readonly action: 'resume'; readonly addOn: string }
  /** Pins every cluster to the revision until a `follow` action ends the pin. */
  | { readonly action: 'roll-back'; readonly addOn: string; readonly revision: number }
  | { readonly action: 'follow'; readonly addOn: string }
  /** Pauses all rollouts of the fleet, including future ones. */
  | { readonly action: 'pause-all' }
  | { readonly action: 'resume-all' }
  /** `count` is the number of removals that the page showed to the user. The action is rejected if the number has changed. */
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
  /** The duration of an override in hours, from 1 to 24. The default is 1. */
  readonly hours?: number;
}

export const DECISION_VERBS = ['approve', 'reject', 'override', 'retry'] as const;
export type DecisionVerb = (typeof DECISION_VERBS)[number];

/** A button in a view, with its action and the equivalent command. */
export interface OfferedAction {
  readonly action: Action;
  /** The text of the button, for example `Pause`. */
  readonly label: string;
  /** The equivalent command, for example `outrigger rollout pause metrics`. */
  readonly command: string;
  /** The question that the user must answer before the action is sent; absent if there is none. */
  readonly question?: string;
  /** Whether the dialog asks for a reason, which becomes the `comment` of the decision; absent if the dialog asks for none. */
  readonly reason?: 'optional' | 'required';
}

export interface ActionResult {
  /** A one-line message about the stored change. */
  readonly message: string;
  readonly command: string;
}
