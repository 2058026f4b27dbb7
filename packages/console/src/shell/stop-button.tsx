import type { OfferedAction, Summary } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useView } from '../data/use-view.js';
import { Confirm } from '../parts/confirm.js';

/** Pauses every rollout that moves clusters. */
export function StopButton(): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const { data } = useView<Summary>({ view: 'summary' });
  const moving = data?.addOns.filter(({ rollout, isPaused }) => !isPaused && (rollout === 'Progressing' || rollout === 'Pending')) ?? [];
  return (
    <>
      <button
        type="button"
        class="danger"
        disabled={moving.length === 0}
        title={moving.length === 0 ? 'No rollout is moving clusters' : 'Pause every rollout that moves clusters'}
        onClick={() => setAsking(true)}
      >
        Stop rollouts
      </button>
      {isAsking && (
        <Confirm
          title={moving.length === 1 ? 'Pause 1 rollout?' : `Pause ${moving.length} rollouts?`}
          says="No further cluster is admitted until you resume each of them. Clusters in flight finish their move."
          offers={moving.map(({ name }) => pauseOf(name))}
          button="Stop rollouts"
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function pauseOf(addOn: string): OfferedAction {
  return { action: { action: 'pause', addOn }, label: 'Pause', command: `outrigger rollout pause ${addOn}` };
}
