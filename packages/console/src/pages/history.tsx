import type { Forecast, Progress } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { replaceChoices, useAddress } from '../address/router.js';
import { useNow } from '../parts/moment.js';
import { exactText, formatClock } from '../parts/time.js';
import { BurnUp } from './burn-up.js';
import { span } from './replay.js';

/** The time to replay, from the URL; undefined for the current time. */
export function useReplayTime(): number | undefined {
  const { choices } = useAddress();
  const chosen = Number(choices['at'] ?? '');
  return Number.isFinite(chosen) && chosen > 0 ? chosen : undefined;
}

interface HistoryProps {
  readonly progress: Progress;
  readonly forecast: Forecast;
  readonly failureBudget: number | undefined;
  /** Whether the rollout has ended. */
  readonly isOver: boolean;
  /** The time at which the rollout ended; absent if it is not recorded. The last point then counts as the end. */
  readonly endedAt?: string;
  readonly at: number | undefined;
}

/** The chart of the recorded progress, and the slider that replays it. */
export function History({ progress, forecast, failureBudget, isOver, endedAt, at }: HistoryProps): JSX.Element | null {
  const now = useNow();
  const covered = span(progress, now, isOver, endedAt);
  if (covered === undefined || progress.selected === 0) return null;
  const shown = at === undefined ? undefined : Math.min(Math.max(at, covered.from), covered.to);
  const endsAt = forecast.endsAt === undefined ? 0 : Date.parse(forecast.endsAt);
  const past = (covered.to - covered.from) / (Math.max(covered.to, endsAt) - covered.from);
  const choose = (value: number) => replaceChoices({ at: value >= covered.to ? '' : String(Math.round(value)) });
  return (
    <section class="panel" aria-label="Progress over time">
      <BurnUp progress={progress} forecast={forecast} failureBudget={failureBudget} from={covered.from} to={covered.to} at={shown} />
      <div class="replay">
        <input
          type="range"
          class="replay-slider"
          style={{ '--past': past }}
          aria-label="Replay"
          min={covered.from}
          max={covered.to}
          step={(covered.to - covered.from) / 100}
          value={shown ?? covered.to}
          aria-valuetext={shown === undefined ? (isOver ? 'as it ended' : 'now') : exactText(new Date(shown).toISOString())}
          onInput={(event) => choose(Number(event.currentTarget.value))}
        />
        <span class="small dim replay-time">
          {shown === undefined ? (isOver ? 'As it ended. Drag to replay.' : 'Live. Drag to replay.') : `Replay: ${formatClock(shown)}`}
        </span>
        <button
          type="button"
          class={shown === undefined ? 'plain small invisible' : 'plain small'}
          onClick={() => replaceChoices({ at: '' })}
        >
          {isOver ? 'Back to the end' : 'Back to now'}
        </button>
      </div>
    </section>
  );
}
