import type { Summary } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { session } from '../data/session.js';
import { useStore } from '../data/store.js';
import { useView } from '../data/use-view.js';
import { askAbout } from '../parts/asking.js';
import { RESUME, STOP } from './fleet-actions.js';

/** Pauses all rollouts of the fleet, or ends that pause. Hidden from users who may not change rollouts. */
export function StopButton(): JSX.Element | null {
  const known = useStore(session);
  const { data } = useView<Summary>({ view: 'summary' });
  if (known?.mayChangeRollouts === false) return null;
  if (data?.isFleetPaused) {
    return (
      <button type="button" class="primary" onClick={() => askAbout(RESUME)}>
        Resume rollouts
      </button>
    );
  }
  const isMoving = data?.addOns.some(({ rollout, isPaused }) => !isPaused && (rollout === 'Progressing' || rollout === 'Pending'));
  return (
    <button
      type="button"
      class={[isMoving ? 'danger' : '', known === undefined ? 'invisible' : ''].join(' ').trim()}
      title="Pause all rollouts of the fleet"
      onClick={() => askAbout(STOP)}
    >
      Stop rollouts
    </button>
  );
}
