import { addressOf, type PlanPage, type ViewAnswer } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { after } from '../adapters/clock.js';
import { getJson } from '../adapters/request.js';
import { Diff } from './diff.js';
import { Forecast } from './forecast.js';
import { Glyph } from './glyph.js';
import { countText } from './count-text.js';

/** The interval in milliseconds at which an unfinished plan is requested again. */
const POLL_MS = 1_000;

/**
 * Shows the effects of a rollback before the user can confirm it: the number of clusters that move, the plan, and the difference on one
 * cluster. The height of the component does not depend on the plan, so that the buttons of the dialog stay in place. Calls `onShown` when
 * the plan, or the reason why there is none, is on the page.
 */
export function Plan({ addOn, revision, onShown }: { addOn: string; revision: number; onShown: () => void }): JSX.Element {
  const [plan, setPlan] = useState<PlanPage | string | undefined>();
  useEffect(() => {
    let cancel: () => void = () => undefined;
    let isClosed = false;
    const ask = () =>
      getJson(addressOf({ view: 'plan', addOn, revision })).then(
        (answer) => {
          if (isClosed) return;
          const { data } = answer as ViewAnswer<PlanPage>;
          setPlan(data);
          if (data.planningSince !== undefined) cancel = after(POLL_MS, () => void ask());
        },
        (error: unknown) => setPlan(error instanceof Error ? error.message : String(error)),
      );
    void ask();
    return () => {
      isClosed = true;
      cancel();
    };
  }, [addOn, revision]);
  const isShown = typeof plan === 'string' || (plan !== undefined && plan.planningSince === undefined);
  useEffect(() => {
    if (isShown) onShown();
  }, [isShown]);
  return (
    <div class="plan" role="region" aria-label="Plan" aria-busy={!isShown} tabIndex={0}>
      <div role="status">
        {plan === undefined && <p class="dim">Computing what changes…</p>}
        {typeof plan === 'string' && <p class="tone-bad">{plan}</p>}
        {typeof plan === 'object' && <Moving plan={plan} />}
      </div>
      {typeof plan === 'object' && <PlanText plan={plan} />}
    </div>
  );
}

/** Shows how many clusters move. A screen reader announces this sentence, not the whole plan. */
function Moving({ plan: { moving, staying, overridden } }: { plan: PlanPage }): JSX.Element {
  return (
    <p>
      <b>{countText(moving, 'cluster')}</b> {moving === 1 ? 'changes' : 'change'}
      {staying > 0 && `, ${countText(staying, 'cluster')} ${staying === 1 ? 'has' : 'have'} this content already`}
      {overridden > 0 &&
        `, ${countText(overridden, 'cluster')} with a choice of ${overridden === 1 ? 'its' : 'their'} own ${overridden === 1 ? 'keeps' : 'keep'} it`}
      .
    </p>
  );
}

function PlanText({ plan }: { plan: PlanPage }): JSX.Element {
  const { example, problem, forecast, forecastProblem } = plan;
  return (
    <>
      {forecast !== undefined && <Forecast forecast={forecast} />}
      {plan.planningSince !== undefined && (
        <p class="planning" role="status">
          <Glyph state="progressing" /> Still planning: when each cluster would move, and what stands in the way. With thousands of clusters
          this takes some seconds.
        </p>
      )}
      {forecastProblem !== undefined && <p class="dim">There is no forecast: {forecastProblem}</p>}
      {problem !== undefined && <p class="dim">The difference is not shown: {problem}</p>}
      {example !== undefined && (
        <>
          <p class="dim small">On {example.cluster}, for example:</p>
          {example.changes.length === 0 ? (
            <p class="dim">No manifest differs.</p>
          ) : (
            example.changes.map((diff) => <Diff key={`${diff.kind} ${diff.namespace} ${diff.name}`} diff={diff} isOpen />)
          )}
        </>
      )}
    </>
  );
}
