import type { Summary } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { after } from '../adapters/clock.js';
import { addressWith, navigate, replaceChoices, useAddress } from '../address/router.js';
import { askAgain } from '../data/live.js';
import type { Shown } from '../data/live-views.js';
import { useView } from '../data/use-view.js';
import { parseFilter } from '../filter/parse.js';
import { countText } from '../parts/count-text.js';
import { ErrorBoundary } from '../parts/error-boundary.js';
import { Bones, Problem } from '../parts/problem.js';
import { groupingLabels, groupingName, sortRows } from './arrange.js';
import { AttentionList } from './attention.js';
import type { Fleet } from './fleet.js';
import { Grid } from './grid.js';
import { Groups } from './groups.js';
import { HeatMap } from './heat-map.js';
import { dependsOnCells, filterMistake, matchFleet } from './match.js';
import { Headline } from './headline.js';
import { SavedSearches, SaveSearch } from './saved-searches.js';
import { isLarge, Spread } from './spread.js';
import { Failures } from './failures.js';

/** If there are more rows than this, the fleet is shown as a heat map, unless the user selects rows. */
const MOST_ROWS = 2_000;

/** The maximum time that the loaded matrix stays hidden until the summary is loaded. */
const LONGEST_WAIT_MS = 1_000;

/** `/`: fleet health, items that need user action, and the state of every add-on on every cluster. */
export function FleetPage(): JSX.Element {
  const summary = useView<Summary>({ view: 'summary' });
  return (
    <>
      <SummaryPart summary={summary} />
      <MatrixPart hasSummary={summary.data !== undefined || summary.error !== undefined} />
    </>
  );
}

function SummaryPart({ summary }: { summary: Shown<Summary> }): JSX.Element {
  return (
    <>
      {summary.error !== undefined && (
        <Problem
          title={`The summary ${summary.data === undefined ? 'cannot be shown' : 'may be out of date'}`}
          detail={summary.error.message}
          retry={() => askAgain({ view: 'summary' })}
        />
      )}
      <ErrorBoundary name="The summary">
        <Headline summary={summary.data} />
        {summary.data !== undefined && isLarge(summary.data) && <Spread summary={summary.data} />}
        {summary.data !== undefined && (
          <div class="columns">
            <section class="panel" aria-labelledby="attention">
              <AttentionList items={summary.data.attention} />
            </section>
            <section class="panel">
              <Failures groups={summary.data.failures} />
            </section>
          </div>
        )}
        {summary.data !== undefined && !isLarge(summary.data) && <Spread summary={summary.data} />}
      </ErrorBoundary>
    </>
  );
}

/**
 * The summary is above the matrix, so the matrix is shown only after the summary; otherwise the matrix would move while the user points at
 * it.
 */
function MatrixPart({ hasSummary }: { hasSummary: boolean }): JSX.Element {
  const fleet = useView<Fleet>({ view: 'fleet' });
  const isLoaded = fleet.data !== undefined;
  const [isLate, setLate] = useState(false);
  useEffect(() => (isLoaded ? after(LONGEST_WAIT_MS, () => setLate(true)) : undefined), [isLoaded]);
  const isPlaced = hasSummary || isLate;
  return (
    <>
      {fleet.error !== undefined && (
        <Problem
          title={`The fleet ${fleet.data === undefined ? 'cannot be shown' : 'may be out of date'}`}
          detail={fleet.error.message}
          retry={() => askAgain({ view: 'fleet' })}
        />
      )}
      <ErrorBoundary name="The fleet">
        {fleet.data === undefined || !isPlaced ? (
          // Replace the placeholder when the summary is shown, because the summary would push the existing placeholder down.
          fleet.error === undefined && <Bones key={isPlaced ? 'matrix' : 'page'} />
        ) : (
          <Matrix fleet={fleet.data} />
        )}
      </ErrorBoundary>
    </>
  );
}

function Matrix({ fleet }: { fleet: Fleet }): JSX.Element {
  const { choices } = useAddress();
  const { q = '', group = '', sort = 'name', zoom = '' } = choices;
  const terms = useMemo(() => parseFilter(q), [q]);
  // Most filters and orders do not depend on the state of cells, so most changes leave the rows unchanged.
  const cells = dependsOnCells(terms) ? fleet : undefined;
  const match = useMemo(() => matchFleet(fleet, terms), [fleet.clusters, fleet.addons, fleet.states, cells, terms]);
  const rows = useMemo(() => sortRows(fleet, match, sort), [match, sort, sort === 'name' ? undefined : fleet]);
  const labels = useMemo(() => groupingLabels(fleet), [fleet.clusters]);
  if (fleet.clusters.length === 0) return <NoClusters />;
  const mistake = filterMistake(terms);
  const isMap = zoom === 'map' || (zoom !== 'rows' && rows.length > MOST_ROWS);
  return (
    <section class="panel matrix" aria-label="Clusters and add-ons">
      <div class="tools">
        <input
          type="search"
          aria-label="Filter clusters"
          placeholder="Filter: addon:metrics state:failed label:region=eu version:<2.0"
          spellcheck={false}
          value={q}
          onInput={(event) => replaceChoices({ q: event.currentTarget.value })}
        />
        <label>
          <span class="dim">Group by </span>
          <select value={group} onChange={(event) => navigate(addressWith({ group: event.currentTarget.value }))}>
            <option value="">nothing</option>
            {[...new Set([...labels, ...(group === '' ? [] : [group])])].map((label) => (
              <option key={label} value={label}>
                {groupingName(label)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="dim">Order </span>
          <select
            value={sort}
            onChange={(event) => navigate(addressWith({ sort: event.currentTarget.value === 'name' ? '' : event.currentTarget.value }))}
          >
            <option value="name">by name</option>
            <option value="worst">worst first</option>
            {fleet.addons.map(({ name }) => (
              <option key={name} value={`addon/${name}`}>
                worst {name}
              </option>
            ))}
          </select>
        </label>
        {group === '' && (
          <a
            class="button"
            href={addressWith({ zoom: isMap ? (rows.length > MOST_ROWS ? 'rows' : '') : rows.length > MOST_ROWS ? '' : 'map' })}
          >
            {isMap ? 'Show rows' : 'Show a heat map'}
          </a>
        )}
        <SaveSearch />
        <span class="small dim shown" role="status">
          {match.rows.length === fleet.clusters.length
            ? countText(fleet.clusters.length, 'cluster')
            : `${match.rows.length.toLocaleString()} of ${countText(fleet.clusters.length, 'cluster')}`}
        </span>
      </div>
      <SavedSearches />
      {mistake !== undefined && <p class="small tone-bad">{mistake}</p>}
      {fleet.isTruncated && (
        <p class="small tone-warn">The console checks your rights in at most 500 namespaces: this fleet is incomplete.</p>
      )}
      {group !== '' ? (
        <Groups fleet={fleet} match={match} label={group} query={q} order={sort} />
      ) : isMap && rows.length > 0 ? (
        <HeatMap fleet={fleet} match={match} rows={rows} />
      ) : (
        <Grid fleet={fleet} match={match} rows={rows} query={q} order={sort} />
      )}
    </section>
  );
}

function NoClusters(): JSX.Element {
  return (
    <div class="empty">
      <p>No cluster has joined this hub, or you may not see any.</p>
      <p>
        A cluster joins with <code>outrigger join</code>. On this machine, <code>npm start</code> runs three simulated clusters.
      </p>
    </div>
  );
}
