import { type AddOnPage, CELL_STATES } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatAddress, formatPage } from '../address/address.js';
import { View } from '../data/use-view.js';
import { Share } from '../fleet/share.js';
import { ActionButton } from '../parts/confirm.js';
import { Conditions } from '../parts/conditions.js';
import { Glyph } from '../parts/glyph.js';
import { ObjectName } from '../parts/object-link.js';
import { lookOf } from '../parts/states.js';
import { Configuration, Values } from './configuration.js';
import { DependencyDrawing } from './dependency-drawing.js';
import { Revisions } from './revisions.js';
import { Panel } from '../parts/panel.js';
import { countText } from '../parts/count-text.js';

export function AddOnPageView({ addon }: { addon: string }): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <a href="/">Fleet</a> / add-on
      </p>
      <View<AddOnPage> name={`The add-on ${addon}`} heading={addon} request={{ view: 'add-on', addOn: addon }}>
        {(page) => <AddOn page={page} />}
      </View>
    </>
  );
}

function AddOn({ page }: { page: AddOnPage }): JSX.Element {
  const counts = Uint32Array.from(CELL_STATES.map((state) => page.cells[state]));
  const states = CELL_STATES.filter((state) => state !== 'absent' && page.cells[state] > 0).sort((a, b) => lookOf(b).rank - lookOf(a).rank);
  return (
    <>
      <header class="page-head">
        <div class="titles">
          <h1>{page.displayName || page.name}</h1>
          <span class="dim">{page.displayName !== '' && page.displayName !== page.name && page.name}</span>
          <div class="actions">
            <a class="button" href={formatPage({ page: 'rollout', addon: page.name })}>
              See the rollout
            </a>
            {page.actions.map((offer) => (
              <ActionButton key={offer.command} offer={offer} />
            ))}
          </div>
        </div>
        {page.description !== '' && <p>{page.description}</p>}
        <p class="facts">
          <span class={`pill tone-${lookOf(page.rollout).tone}`}>
            <Glyph state={page.rollout} /> rollout {lookOf(page.rollout).word}
          </span>
          {page.isPaused && <span class="pill tone-wait">paused</span>}
          {page.pinnedRevision !== undefined && <span class="pill tone-wait">pinned at revision {page.pinnedRevision}</span>}
          <ObjectName object={page.object} text="YAML" />
        </p>
        <ul class="counts">
          {states.map((state) => (
            <li key={state}>
              <a href={formatAddress({ page: { page: 'fleet' }, choices: { q: `addon:${page.name} state:${state}` } })}>
                <Glyph state={state} /> {page.cells[state].toLocaleString()} {lookOf(state).word}
              </a>
            </li>
          ))}
        </ul>
        <Share counts={counts} />
      </header>
      <div class="columns">
        <Panel title="Versions">
          <Versions page={page} />
        </Panel>
        <Panel title={`Strategy: ${page.strategy}`}>
          <Entries page={page} />
        </Panel>
      </div>
      <Panel title="Revisions">
        <Revisions addon={page.name} items={page.revisions} />
      </Panel>
      <Panel title="Configuration in force">
        {page.pinnedRevision !== undefined && (
          <p class="dim">
            The declaration and its current configs. Clusters are pinned at revision {page.pinnedRevision} and keep the configs of that
            revision.
          </p>
        )}
        <Configuration layers={page.configuration} />
        <Values values={page.values} problem={page.valuesProblem} />
      </Panel>
      <div class="columns">
        <Panel title="Dependencies">
          <DependencyDrawing graph={page.dependencies} middle={page.name} />
        </Panel>
        <Panel title="Rights of its agents on the hub">
          <Rights rights={page.rights} />
        </Panel>
      </div>
      <Panel title="Conditions">
        <Conditions conditions={page.conditions} />
      </Panel>
    </>
  );
}

function Versions({ page }: { page: AddOnPage }): JSX.Element {
  const most = Math.max(1, ...page.versions.map(({ clusters }) => clusters));
  return (
    <ul class="lines">
      {page.versions.map(({ version, template, isDefault, clusters }) => (
        <li key={`${version} ${template.name}`}>
          <b class="version">{version || '(no version)'}</b>
          <span class="grow">
            <ObjectName object={template} /> {isDefault && <span class="tag tag-current">default</span>}
            <span class="bar" aria-hidden="true">
              <i style={{ width: `${(clusters / most) * 100}%` }} />
            </span>
          </span>
          <span class="since">{countText(clusters, 'cluster')}</span>
        </li>
      ))}
    </ul>
  );
}

function Entries({ page }: { page: AddOnPage }): JSX.Element {
  if (page.entries.length === 0) return <p class="dim">No entry selects clusters.</p>;
  return (
    <ul class="lines">
      {page.entries.map((entry) => (
        <li key={entry.name}>
          <Glyph state={entry.state} alone />
          <span class="grow">
            <b>{entry.name}</b> <span class="dim">{[entry.strategy, entry.targetVersion].filter(Boolean).join(' · ')}</span>
            <br />
            <span class="dim small">{entry.message}</span>
          </span>
          <span class="since">
            {entry.done.toLocaleString()} of {entry.selected.toLocaleString()} done
          </span>
        </li>
      ))}
    </ul>
  );
}

function Rights({ rights }: { rights: AddOnPage['rights'] }): JSX.Element {
  if (rights.length === 0) return <p class="dim">None.</p>;
  return (
    <ul class="lines">
      {rights.map(({ template, scope, role, signer }) => (
        <li key={`${template} ${scope} ${role} ${signer}`}>
          <span class="grow">
            <b>{role || signer}</b>{' '}
            {role !== '' && <span class="dim">in {scope === 'cluster' ? 'the namespace of its cluster' : `namespace ${scope}`}</span>}
            <br />
            <span class="dim small">{role === '' ? 'a certificate without rights of its own' : signer}</span>
          </span>
          <span class="since">{template}</span>
        </li>
      ))}
    </ul>
  );
}
