import type { CellPage, RevisionDiff } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { addressWith, useAddress } from '../address/router.js';
import { View } from '../data/use-view.js';
import { Conditions } from '../parts/conditions.js';
import { Diff } from '../parts/diff.js';
import { Glyph } from '../parts/glyph.js';
import { ObjectName } from '../parts/object-link.js';
import { lookOf } from '../parts/states.js';
import { Configuration, Values } from './configuration.js';
import { Registrations } from './registrations.js';
import { WhyDrawing } from './why-drawing.js';
import { Works } from './works.js';
import { Panel } from '../parts/panel.js';

/** Shows one add-on on one cluster: the explanation of its state, and the content that is assigned to the cluster. */
export function CellPageView({ cluster, addon }: { cluster: string; addon: string }): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <a href="/">Fleet</a> / <a href={formatPage({ page: 'cluster', cluster })}>{cluster}</a> /{' '}
        <a href={formatPage({ page: 'addon', addon })}>{addon}</a>
      </p>
      <h1>
        {addon} on {cluster}
      </h1>
      <View<CellPage> name={`${addon} on ${cluster}`} request={{ view: 'cell', cluster, addOn: addon }}>
        {(page) => <Cell page={page} />}
      </View>
    </>
  );
}

function Cell({ page }: { page: CellPage }): JSX.Element {
  const isAway = page.target !== '' && page.target !== page.version;
  const { tone, word } = lookOf(page.state);
  return (
    <>
      <p class="facts">
        <span class={`pill tone-${tone}`}>
          <Glyph state={page.state} /> {word}
        </span>
        <span>
          {page.version !== '' && <b>{page.version} </b>}
          {isAway && <span class="tone-move">→ {page.target} </span>}
          {page.revision !== undefined && <span class="dim">revision {page.revision}</span>}
        </span>
        {page.object !== undefined && <ObjectName object={page.object} text="YAML" />}
        <a href={formatPage({ page: 'rollout', addon: page.addOn })}>Rollout</a>
      </p>
      <Panel title="Why">
        <WhyDrawing chain={page.why} />
      </Panel>
      {(page.diffs !== undefined || page.diffsProblem !== undefined) && (
        <Panel title="Differences">
          {page.diffsProblem !== undefined && <p class="dim">They are not shown: {page.diffsProblem}</p>}
          {page.diffs !== undefined && <Diffs diffs={page.diffs} />}
        </Panel>
      )}
      <Panel title="Works">
        <Works works={page.works} />
      </Panel>
      <Panel title="Conditions">
        <Conditions conditions={page.conditions} />
      </Panel>
      <div class="columns">
        <Panel title="Configuration">
          <Configuration layers={page.configuration} />
          <Values values={page.values} problem={page.valuesProblem} />
        </Panel>
        <Panel title="Registration">
          <Registrations items={page.registrations} />
        </Panel>
      </div>
    </>
  );
}

/** Shows the manifests in the works compared with the previous revision or with the target. */
function Diffs({ diffs }: { diffs: NonNullable<CellPage['diffs']> }): JSX.Element {
  const { choices } = useAddress();
  const against = choices['against'] === 'previous' || diffs.target === undefined ? 'previous' : 'target';
  const shown = diffs[against];
  if (shown === undefined) return <p class="dim">The hub keeps no other revision to compare with.</p>;
  const name = (diff: RevisionDiff) => `revision ${diff.revision}${diff.version === '' ? '' : ` (${diff.version})`}`;
  return (
    <>
      <p class="tabs">
        {diffs.previous !== undefined && (
          <a href={addressWith({ against: 'previous' })} {...(against === 'previous' ? { 'aria-current': 'true' as const } : {})}>
            since {name(diffs.previous)}
          </a>
        )}
        {diffs.target !== undefined && (
          <a href={addressWith({ against: '' })} {...(against === 'target' ? { 'aria-current': 'true' as const } : {})}>
            to the target, {name(diffs.target)}
          </a>
        )}
      </p>
      {shown.changes.length === 0 ? (
        <p class="dim">No manifest differs.</p>
      ) : (
        shown.changes.map((diff) => (
          <Diff key={`${diff.kind} ${diff.namespace} ${diff.name}`} diff={diff} isOpen={diff.lines.length < 60} />
        ))
      )}
    </>
  );
}
