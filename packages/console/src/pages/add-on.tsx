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

export function AddOnPageView({ addon }: { addon: string }): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <a href="/">Fleet</a> / add-on
      </p>
      <View<AddOnPage> name={`The add-on ${addon}`} request={{ view: 'add-on', addOn: addon }}>
        {(page) => <AddOn page={page} />}
      </View>
    </>
  );
}

function AddOn({ page }: { page: AddOnPage }): JSX.Element {
  const counts = Uint32Array.from(CELL_STATES.map((state) => page.cells[state]));
  return (
    <>
      <div class="titles">
        <h1>{page.displayName || page.name}</h1>
        <span class="dim">{page.displayName !== '' && page.displayName !== page.name && page.name}</span>
      </div>
      {page.description !== '' && <p>{page.description}</p>}
      <p>
        <Glyph state={page.rollout} /> rollout {lookOf(page.rollout).word} ·{' '}
        <a href={formatPage({ page: 'rollout', addon: page.name })}>see the rollout</a>
        {page.isPaused && ' · paused'}
        {page.pinnedRevision !== undefined && ` · held at revision ${page.pinnedRevision}`}
        {' · '}
        <ObjectName object={page.object} text="YAML" />
      </p>
      <ul class="counts">
        {CELL_STATES.filter((state) => state !== 'absent' && page.cells[state] > 0).map((state) => (
          <li key={state}>
            <a href={formatAddress({ page: { page: 'fleet' }, choices: { q: `addon:${page.name} state:${state}` } })}>
              <Glyph state={state} /> {page.cells[state].toLocaleString()} {lookOf(state).word}
            </a>
          </li>
        ))}
      </ul>
      <Share counts={counts} />
      {page.actions.length > 0 && (
        <div class="actions">
          {page.actions.map((offer) => (
            <ActionButton key={offer.command} offer={offer} />
          ))}
        </div>
      )}
      <div class="columns">
        <section>
          <h2>Versions</h2>
          <ul class="lines">
            {page.versions.map(({ version, template, isDefault, clusters }) => (
              <li key={`${version} ${template.name}`}>
                <b>{version || '(no version)'}</b>
                <span class="grow">
                  <ObjectName object={template} /> {isDefault && <span class="dim">default</span>}
                </span>
                <span class="since">{clusters.toLocaleString()} clusters</span>
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h2>Strategy: {page.strategy}</h2>
          <ul class="lines">
            {page.entries.map((entry) => (
              <li key={entry.name}>
                <Glyph state={entry.state} alone />
                <span class="grow">
                  {entry.name} <span class="dim">{[entry.strategy, entry.targetVersion, entry.message].filter(Boolean).join(' · ')}</span>
                </span>
                <span class="since">
                  {entry.done.toLocaleString()} of {entry.selected.toLocaleString()} done
                </span>
              </li>
            ))}
          </ul>
          {page.entries.length === 0 && <p class="dim">No entry selects clusters.</p>}
        </section>
      </div>
      <h2>Revisions</h2>
      <Revisions items={page.revisions} />
      <h2>Dependencies</h2>
      <DependencyDrawing graph={page.dependencies} middle={page.name} />
      <Values values={page.values} />
      <Configuration layers={page.configuration} />
      <h2>Rights of its agents on the hub</h2>
      {page.rights.length === 0 ? (
        <p class="dim">None.</p>
      ) : (
        <ul class="lines">
          {page.rights.map(({ template, scope, role, signer }) => (
            <li key={`${template} ${scope} ${role} ${signer}`}>
              <span class="grow">
                {role || signer} <span class="dim">in {scope === 'cluster' ? 'the namespace of its cluster' : scope}</span>
              </span>
              <span class="since">{template}</span>
            </li>
          ))}
        </ul>
      )}
      <h2>Conditions</h2>
      <Conditions conditions={page.conditions} />
    </>
  );
}
