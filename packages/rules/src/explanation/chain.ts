import type { AddOnState } from './state.js';

/** One link of the explanation of an add-on's state on a cluster. */
export interface Link {
  /**
   * `ok`: the step succeeded. `wait`: the problem resolves without user action. `stop`: user action is needed. `note`: additional
   * information that is not the cause.
   */
  readonly type: 'ok' | 'wait' | 'stop' | 'note';
  readonly text: string;
  /** The command to run or the change to make next. */
  readonly hint?: string;
  /** Whether the link is about the rollout of the whole add-on, so that it is the same for every cluster that has not been admitted. */
  readonly isOfRollout?: true;
}

/** The result of the explanation: whether the add-on is in place, waits, or needs user action to continue. */
export type Verdict = 'available' | 'absent' | 'waiting' | 'blocked' | 'unavailable' | 'removing';

export interface Chain {
  readonly addOn: string;
  readonly cluster: string;
  /** The state according to the add-on's report. The console shows the same word. */
  readonly state: AddOnState;
  readonly verdict: Verdict;
  /** The links from the declaration to the cause; `causeOf` returns the link that is the cause. */
  readonly links: readonly Link[];
}

export const ok = (text: string): Link => ({ type: 'ok', text });
export const note = (text: string, hint?: string): Link => link('note', text, hint);
export const wait = (text: string, hint?: string): Link => link('wait', text, hint);
export const stop = (text: string, hint?: string): Link => link('stop', text, hint);

/**
 * Returns the link that is the cause: the last `stop`, otherwise the last `wait`. If an absent add-on has neither, the cause is its last
 * note, which says that no entry selects the cluster and no user created the add-on.
 */
export function causeOf({ links, verdict }: Pick<Chain, 'links' | 'verdict'>): Link | undefined {
  return (
    links.findLast(({ type }) => type === 'stop') ??
    links.findLast(({ type }) => type === 'wait') ??
    (verdict === 'absent' ? links.findLast(({ type }) => type === 'note') : undefined)
  );
}

/** Reports whether the chain contains a problem that needs user action. An add-on that no entry selects is not a problem. */
export function isWrong({ links, verdict }: Pick<Chain, 'links' | 'verdict'>): boolean {
  if (verdict === 'blocked' || verdict === 'unavailable') return true;
  return verdict !== 'absent' && links.some(({ type }) => type === 'stop');
}

/** A link about the rollout of the whole add-on. */
export const ofRollout = (of: Link): Link => ({ ...of, isOfRollout: true });

function link(type: Link['type'], text: string, hint: string | undefined): Link {
  return hint === undefined ? { type, text } : { type, text, hint };
}
