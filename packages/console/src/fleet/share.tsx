import type { JSX } from 'preact';
import { CELL_STATES } from '@outrigger/console-contract';
import { lookOf } from '../parts/states.js';
import type { StateCounts } from './totals.js';

/**
 * Shows the share of each state as one thin bar, worst first. The bar is hidden from screen readers, because the numbers are next to it.
 */
export function Share({ counts }: { counts: StateCounts }): JSX.Element {
  const shown = CELL_STATES.map((state, index) => ({ state, count: counts[index] ?? 0, look: lookOf(state) }))
    .filter(({ state, count }) => count > 0 && state !== 'absent')
    .sort((a, b) => b.look.rank - a.look.rank);
  return (
    <div class="share" aria-hidden="true">
      {shown.map(({ state, count, look }) => (
        <i key={state} class={`tone-${look.tone}`} style={{ flex: count }} />
      ))}
    </div>
  );
}
