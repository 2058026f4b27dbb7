import type { ApiReason, JsonObject, Kind, KubeObject, ObjectKey } from '@outrigger/core';
import type { ApiName } from './resource.js';

/** The state that a write assumes the object to have. If the assumption is wrong, the server rejects the write with Conflict. */
export interface Precondition {
  readonly uid: string;
  /** The observed resourceVersion, for a write whose new value was computed from the observed object. */
  readonly resourceVersion?: string;
}

interface ActionBase {
  readonly api: ApiName;
  readonly kind: Kind;
  /** Identifies the action within its key, so that the next pass can observe an error response to it (`work/addon-x-deploy-0`). */
  readonly id: string;
  /** API errors that count as success: AlreadyExists for a create, NotFound for a delete. */
  readonly accept?: readonly ApiReason[];
}

/** The effects of any controller, without the types of their names and inputs. */
export type AnyEffects = Readonly<Record<string, unknown>>;

interface AnyEffectAction {
  readonly type: 'effect';
  readonly effect: string;
  readonly id: string;
  readonly input: unknown;
}

/**
 * An operation that a pure function cannot perform, such as creating keys, signing or reading secrets. The controller provides the handler
 * with this name.
 */
export type EffectAction<Effects = AnyEffects> = {
  readonly [Name in keyof Effects & string]: {
    readonly type: 'effect';
    readonly effect: Name;
    readonly id: string;
    readonly input: Effects[Name];
  };
}[keyof Effects & string];

export type Action<Effects = AnyEffects> = ApiAction | EffectAction<Effects>;

/** A write to one object. */
export type ApiAction =
  | (ActionBase & {
      readonly type: 'create';
      readonly object: KubeObject;
      readonly fieldManager?: string;
      /**
       * Whether to adopt an existing object. Meant for objects that are cached by label. If an object of the same name exists without the
       * labels, the executor adds the labels, so that the next pass observes the object. An object that another controller owns is not
       * adopted, and the error names that controller. With `owned`, an object is adopted only if it already has one of the owners of
       * `object`. Use `owned` for objects, such as a service account, that may have rights that the controller did not give them.
       */
      readonly adopt?: true | 'owned';
    })
  /** Server-side apply; `object` contains exactly the fields that the manager wants to own. */
  | (ActionBase & {
      readonly type: 'apply';
      readonly object: KubeObject;
      readonly fieldManager: string;
      readonly force?: boolean;
      readonly subresource?: string;
    })
  /** JSON merge patch; the executor adds the precondition to `metadata`. */
  | (ActionBase & {
      readonly type: 'patch';
      readonly key: ObjectKey;
      readonly patch: JsonObject;
      readonly precondition: Precondition;
      readonly subresource?: string;
      readonly fieldManager?: string;
    })
  | (ActionBase & { readonly type: 'replace'; readonly object: KubeObject; readonly subresource?: string })
  | (ActionBase & {
      readonly type: 'delete';
      readonly key: ObjectKey;
      readonly precondition: Precondition;
      readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
    });

/** A Kubernetes Event, written after the stages have succeeded (best effort). */
export interface EventIntent {
  /**
   * The id of the action whose result the Event reports. The Event is written if that action succeeded, even if another action in the pass
   * failed. The next pass would not write the Event, because it observes that the action has been done.
   */
  readonly afterAction?: string;
  readonly api: ApiName;
  readonly regarding: { readonly kind: Kind; readonly key: ObjectKey; readonly uid: string };
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /**
   * Whether the Event is a milestone. The rate limit of a milestone applies to each message instead of each reason, so that a different
   * message with the same reason is written at once. Meant for rare Events.
   */
  readonly isMilestone?: boolean;
}

/**
 * The result of one pass. The actions of a stage are independent and run together. A stage starts only if all stages before it succeeded.
 * The process may crash after any stage, so the state after each stage must be valid.
 */
export type Decision<Memory = unknown, Effects = AnyEffects> = DecisionOf<Memory, Action<Effects>>;

interface DecisionOf<Memory, Actions> {
  readonly stages: readonly (readonly Actions[])[];
  readonly events?: readonly EventIntent[];
  /** The key is queued again after this time even if no object changes. */
  readonly requeueAfterMs?: number;
  /** The value that the next pass over the key gets as `remembered`. If absent, the value does not change. */
  readonly remember?: Memory;
}

/** A decision whose effect types are erased, in the form that the runtime executes. */
export type AnyDecision = DecisionOf<unknown, AnyAction>;

export type AnyAction = ApiAction | AnyEffectAction;

export const NOTHING: { readonly stages: readonly [] } = { stages: [] };
