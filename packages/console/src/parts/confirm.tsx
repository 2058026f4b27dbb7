import type { OfferedAction } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
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

/** Shows what will happen and the equivalent commands, and sends the actions when the user confirms. The API server checks them first. */
function Confirm(props: Question & { onClose: () => void }): JSX.Element {
  const { offers } = props;
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [refusal, setRefusal] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    // A dry run of the first action: a missing permission is reported before the user confirms.
    const [first] = offers;
    if (first !== undefined) act(first.action, true).catch((error: unknown) => setRefusal(textOf(error)));
  }, []);
  const send = async () => {
    setBusy(true);
    const results = await Promise.all(
      offers.map((offer) =>
        act(offer.action).then(
          ({ message }): Outcome => ({ isGood: true, text: message }),
          (error: unknown): Outcome => ({ isGood: false, text: textOf(error) }),
        ),
      ),
    );
    setBusy(false);
    setOutcomes(results);
  };
  const isDone = outcomes.length > 0;
  return (
    <Dialog label={props.title} onClose={props.onClose}>
      <form method="dialog">
        <h2>{props.title}</h2>
        <p>{props.says}</p>
        {offers.map(
          ({ action }) => action.action === 'roll-back' && <Plan key={action.revision} addOn={action.addOn} revision={action.revision} />,
        )}
        {offers.slice(0, 12).map(({ command }) => (
          <Command key={command} line={command} />
        ))}
        {offers.length > 12 && <p class="dim">and {offers.length - 12} more</p>}
        <div role="status">
          {refusal !== undefined && !isDone && <p class="tone-bad">{refusal}</p>}
          {outcomes.map(({ isGood, text }, index) => (
            <p key={index} class={isGood ? 'tone-good' : 'tone-bad'}>
              {text}
            </p>
          ))}
        </div>
        <div class="actions">
          {!isDone && (
            <button type="button" class="primary" disabled={isBusy || refusal !== undefined} onClick={() => void send()}>
              {props.button}
            </button>
          )}
          <button type="submit">{isDone ? 'Close' : 'Cancel'}</button>
        </div>
      </form>
    </Dialog>
  );
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

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
