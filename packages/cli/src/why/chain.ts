/** One link of the explanation of why an add-on is as it is on a cluster. */
export interface Link {
  /** `ok` explains, `wait` will pass by itself, `stop` needs somebody, `note` is beside the point but worth knowing. */
  readonly type: 'ok' | 'wait' | 'stop' | 'note';
  readonly text: string;
  /** What to type or change next. */
  readonly hint?: string;
}

/** How an add-on stands on a cluster. */
export type Verdict = 'available' | 'absent' | 'waiting' | 'blocked' | 'unavailable' | 'removing';

export interface Chain {
  readonly addOn: string;
  readonly cluster: string;
  readonly verdict: Verdict;
  /** From the declaration to the cause; the last link that is not `ok` or `note` is the cause. */
  readonly links: readonly Link[];
}

export const ok = (text: string): Link => ({ type: 'ok', text });
export const note = (text: string, hint?: string): Link => link('note', text, hint);
export const wait = (text: string, hint?: string): Link => link('wait', text, hint);
export const stop = (text: string, hint?: string): Link => link('stop', text, hint);

/** The one sentence: the cause if there is one. Of what is absent because nobody has asked for it, that is a note. */
export function causeOf({ links, verdict }: Pick<Chain, 'links' | 'verdict'>): Link | undefined {
  return (
    links.findLast(({ type }) => type === 'stop') ??
    links.findLast(({ type }) => type === 'wait') ??
    (verdict === 'absent' ? links.findLast(({ type }) => type === 'note') : undefined)
  );
}

function link(type: Link['type'], text: string, hint: string | undefined): Link {
  return hint === undefined ? { type, text } : { type, text, hint };
}
