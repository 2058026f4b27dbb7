import type { CellPage, ManifestDiff } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { addressWith, useAddress } from '../address/router.js';
import { View } from '../data/use-view.js';
import { ActionButton } from '../parts/confirm.js';
import { Conditions } from '../parts/conditions.js';
import { Glyph } from '../parts/glyph.js';
import { ObjectName } from '../parts/object-link.js';
import { lookOf } from '../parts/states.js';
import { Configuration, Values } from './configuration.js';
import { Registrations } from './registrations.js';
import { WhyDrawing } from './why-drawing.js';
import { Works } from './works.js';

/** One add-on on one cluster: why it is as it is, and what the cluster was given. */
export function CellPageView({ cluster, addon }: { cluster: string; addon: string }): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <a href={formatPage({ page: 'cluster', cluster })}>{cluster}</a> / <a href={formatPage({ page: 'addon', addon })}>{addon}</a>
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
  return (
    <>
      <p>
        <Glyph state={page.state} /> {lookOf(page.state).word}
        {page.version !== '' && <> · {page.version}</>}
        {page.revision !== undefined && <span class="dim"> revision {page.revision}</span>}
        {isAway && <span class="tone-move"> → {page.target}</span>}
        {page.object !== undefined && (
          <>
            {' · '}
            <ObjectName object={page.object} text="YAML" />
          </>
        )}
      </p>
      {page.actions.length > 0 && (
        <div class="actions">
          {page.actions.map((offer) => (
            <ActionButton key={offer.command} offer={offer} />
          ))}
        </div>
      )}
      <h2>Why</h2>
      <WhyDrawing chain={page.why} />
      <h2>Conditions</h2>
      <Conditions conditions={page.conditions} />
      <Values values={page.values} />
      <Configuration layers={page.configuration} />
      <h2>Registration</h2>
      <Registrations items={page.registrations} />
      {page.diffs !== undefined && <Diffs diffs={page.diffs} />}
      <h2>Works</h2>
      <Works works={page.works} />
    </>
  );
}

function Diffs({ diffs }: { diffs: NonNullable<CellPage['diffs']> }): JSX.Element {
  const { choices } = useAddress();
  const against =
    choices['against'] === 'target' && diffs.target !== undefined ? 'target' : diffs.previous === undefined ? 'target' : 'previous';
  const shown = diffs[against];
  return (
    <>
      <h2>Differences</h2>
      {diffs.previous !== undefined && diffs.target !== undefined && (
        <p>
          <a href={addressWith({ against: '' })} {...(against === 'previous' ? { 'aria-current': 'true' as const } : {})}>
            against the revision before
          </a>
          {' · '}
          <a href={addressWith({ against: 'target' })} {...(against === 'target' ? { 'aria-current': 'true' as const } : {})}>
            against the target
          </a>
        </p>
      )}
      {shown === undefined || shown.length === 0 ? (
        <p class="dim">
          {against === 'target' ? 'The works are those of the target.' : 'The revision before had the same manifests, or is not known.'}
        </p>
      ) : (
        shown.map((diff) => <Diff key={`${diff.kind} ${diff.namespace} ${diff.name}`} diff={diff} />)
      )}
    </>
  );
}

function Diff({ diff: { kind, namespace, name, change, lines } }: { diff: ManifestDiff }): JSX.Element {
  return (
    <details open={lines.length < 40}>
      <summary>
        {kind} {namespace === '' ? name : `${namespace}/${name}`} <span class="dim">{change}</span>
      </summary>
      <pre class="yaml" tabIndex={0} aria-label={`Difference of ${kind} ${name}`}>
        {lines.map(({ mark, text }, index) => (
          <span key={index} class={mark === '+' ? 'added' : mark === '-' ? 'removed' : ''}>
            {mark} {text}
            {'\n'}
          </span>
        ))}
      </pre>
    </details>
  );
}
