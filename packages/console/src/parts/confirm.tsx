import type { Action, OfferedAction } from '@outrigger/console-contract';
import { shell, errorMessage } from '@outrigger/core';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { act } from '../adapters/request.js';
import { useStore } from '../data/store.js';
import { askAbout, asking, type Question } from './asking.js';
import { Command } from './command.js';
import { Dialog } from './dialog.js';
import { Plan } from './plan.js';

interface Outcome {
  readonly isGood: boolean;
  readonly text: string;
}

/**
 * Shows the effects of the actions and the equivalent commands, and sends the actions when the user confirms them. Before that, the API
 * server checks the first action.
 */
function Confirm(props: Question & { onClose: () => void }): JSX.Element {
  const { offers } = props;
  const refusal = useRefusal(offers);
  const { outcomes, isBusy, send } = useSending();
  /** The number of plans that are shown. A rollback can be confirmed only when its plan, or the reason why there is none, is shown. */
  const [shownPlans, setShownPlans] = useState(0);
  const isPlanned = shownPlans >= offers.filter(({ action }) => action.action === 'roll-back').length;
  const [reason, setReason] = useState('');
  const [hours, setHours] = useState(1);
  const asksReason = offers.some((offer) => offer.reason !== undefined);
  const isOverride = offers.some(({ action }) => action.action === 'decide' && action.verb === 'override');
  const isMissingReason = offers.some((offer) => offer.reason === 'required') && reason.trim() === '';
  const explained = { ...(reason.trim() === '' ? {} : { comment: reason.trim() }), ...(isOverride ? { hours } : {}) };
  const withReason = (action: Action): Action => (action.action === 'decide' ? { ...action, ...explained } : action);
  const isDone = outcomes.length > 0;
  const maySend = !isDone && !isBusy && isPlanned && refusal === undefined && !isMissingReason;
  return (
    <Dialog label={props.title} onClose={props.onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (maySend) void send(offers.map(({ action }) => withReason(action)));
        }}
      >
        <h2>{props.title}</h2>
        <p>{props.says}</p>
        {offers.map(
          ({ action }) =>
            action.action === 'roll-back' && (
              <Plan
                key={action.revision}
                addOn={action.addOn}
                revision={action.revision}
                onShown={() => setShownPlans((count) => count + 1)}
              />
            ),
        )}
        {asksReason && !isDone && (
          <Reason
            isRequired={offers.some((offer) => offer.reason === 'required')}
            onReason={setReason}
            {...(isOverride ? { hours, onHours: setHours } : {})}
          />
        )}
        {offers.slice(0, 12).map(({ action, command }) => (
          <Command key={command} line={action.action === 'decide' ? commandWith(command, explained) : command} />
        ))}
        {offers.length > 12 && <p class="dim">and {offers.length - 12} more</p>}
        <div class="outcomes" role="status">
          {refusal !== undefined && !isDone && <p class="tone-bad">{refusal}</p>}
          {outcomes.map(({ isGood, text }, index) => (
            <p key={index} class={isGood ? 'tone-good' : 'tone-bad'}>
              {text}
            </p>
          ))}
        </div>
        <Buttons label={props.button} isDone={isDone} maySend={maySend} />
      </form>
    </Dialog>
  );
}

/** Sends the first action as a dry run, so that a missing permission is shown before the user confirms. Returns the API server's refusal. */
function useRefusal([first]: readonly OfferedAction[]): string | undefined {
  const [refusal, setRefusal] = useState<string | undefined>();
  useEffect(() => {
    if (first === undefined) return;
    const { action } = first;
    act(action.action === 'decide' ? { comment: 'dry run', ...action } : action, true).catch((error: unknown) =>
      setRefusal(errorMessage(error)),
    );
  }, []);
  return refusal;
}

interface Sending {
  /** The outcome of each action; empty until all are known. */
  readonly outcomes: readonly Outcome[];
  readonly isBusy: boolean;
  readonly send: (actions: readonly Action[]) => Promise<void>;
}

function useSending(): Sending {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [isBusy, setBusy] = useState(false);
  const send = async (actions: readonly Action[]): Promise<void> => {
    setBusy(true);
    const results = await Promise.all(
      actions.map((action) =>
        act(action).then(
          ({ message }): Outcome => ({ isGood: true, text: message }),
          (error: unknown): Outcome => ({ isGood: false, text: errorMessage(error) }),
        ),
      ),
    );
    setBusy(false);
    setOutcomes(results);
  };
  return { outcomes, isBusy, send };
}

/** The buttons that send the actions and close the dialog. */
function Buttons({ label, isDone, maySend }: { label: string; isDone: boolean; maySend: boolean }): JSX.Element {
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that had the focus is gone, so move the focus to the button that closes the dialog.
    if (isDone) close.current?.focus();
  }, [isDone]);
  return (
    <div class="actions">
      {!isDone && (
        <button type="submit" class="primary" disabled={!maySend}>
          {label}
        </button>
      )}
      {/* Without a field for a reason, the dialog starts at the button that changes nothing. */}
      <button type="button" autofocus ref={close} onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
        {isDone ? 'Close' : 'Cancel'}
      </button>
    </div>
  );
}

/** Asks for the user's reason for the decision, and for the duration of an override. */
function Reason(props: {
  isRequired: boolean;
  onReason: (text: string) => void;
  hours?: number;
  onHours?: (hours: number) => void;
}): JSX.Element {
  const { isRequired, onReason, hours, onHours } = props;
  return (
    <div class="reason">
      <label>
        <span>Reason{isRequired ? '' : ' (optional)'}</span>
        <input type="text" autofocus maxLength={1_024} required={isRequired} onInput={(event) => onReason(event.currentTarget.value)} />
      </label>
      {hours !== undefined && onHours !== undefined && (
        <label class="hours">
          <span>Open for</span>
          <select value={String(hours)} onChange={(event) => onHours(Number(event.currentTarget.value))}>
            {[1, 2, 4, 8, 24].map((one) => (
              <option key={one} value={String(one)}>
                {one === 1 ? '1 hour' : `${one} hours`}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

function commandWith(command: string, { comment, hours }: { readonly comment?: string; readonly hours?: number }): string {
  const reason = comment === undefined ? '' : shell` -m ${comment}`;
  return `${command}${reason}${hours === undefined ? '' : shell` --for ${hours}h`}`;
}

/** The open confirmation dialog, if there is one. */
export function OpenQuestion(): JSX.Element | null {
  const question = useStore(asking);
  if (question === undefined) return null;
  return <Confirm key={question.title} {...question} onClose={() => asking.set(undefined)} />;
}

/** A button for an action that the server offers. */
export function ActionButton({ offer, kind = '' }: { offer: OfferedAction; kind?: string }): JSX.Element {
  return (
    <button type="button" class={kind} onClick={() => askAbout(offer)}>
      {offer.label}
    </button>
  );
}
