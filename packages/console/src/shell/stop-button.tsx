import type { Summary } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { useView } from '../data/use-view.js';
import { askAbout } from '../parts/asking.js';
import { RESUME, STOP } from './fleet-actions.js';

/** Pauses all rollouts of the fleet, or ends that pause. */
export function StopButton(): JSX.Element {
  const { data } = useView<Summary>({ view: 'summary' });
  if (data?.isFleetPaused) {
    return (
      <button type="button" class="primary" onClick={() => askAbout(RESUME)}>
        Resume rollouts
      </button>
    );
  }
  const isMoving = data?.addOns.some(({ rollout, isPaused }) => !isPaused && (rollout === 'Progressing' || rollout === 'Pending'));
  return (
    <button type="button" class={isMoving ? 'danger' : ''} title="Pause all rollouts of the fleet" onClick={() => askAbout(STOP)}>
      Stop rollouts
    </button>
  );
}
