import { type AddOnSummary, CLUSTER_STATES, type Summary } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatAddress, formatPage } from '../address/address.js';
import { formatFilter } from '../filter/parse.js';
import { Glyph } from '../parts/glyph.js';
import { lookOf } from '../parts/states.js';

/** The number of clusters above which the matrix does not show the distribution of versions at a glance. */
const MOST_READABLE = 100;
const PHONE = '(max-width: 640px)';
const MOST_ADD_ONS = 24;
const MOST_VERSIONS = 6;

/** Whether the fleet is so large that the page shows the number of clusters per version above the single problems. */
export function isLarge({ clusters }: Summary): boolean {
  return CLUSTER_STATES.reduce((sum, state) => sum + clusters[state], 0) > MOST_READABLE;
}

/** Shows the number of clusters on each version, for each add-on. The section is collapsed for small fleets and on phones. */
export function Spread({ summary }: { summary: Summary }): JSX.Element | null {
  const { addOns } = summary;
  const [isPhone] = useState(() => matchMedia(PHONE).matches);
  if (addOns.length === 0) return null;
  return (
    <details class="panel spread" open={isLarge(summary) && !isPhone}>
      <summary>
        <h2>Versions</h2> <span class="dim">{targetsText(addOns)}</span>
      </summary>
      <ul class="spread-list">
        {addOns.slice(0, MOST_ADD_ONS).map((addOn) => (
          <li key={addOn.name}>
            <a href={formatPage({ page: 'rollout', addon: addOn.name })} title={`${addOn.name}: rollout ${lookOf(addOn.rollout).word}`}>
              <Glyph state={addOn.isPaused ? 'Paused' : addOn.rollout} /> {addOn.name}
            </a>
            <Versions addOn={addOn} />
          </li>
        ))}
      </ul>
      {addOns.length > MOST_ADD_ONS && <p class="dim small">and {addOns.length - MOST_ADD_ONS} more</p>}
    </details>
  );
}

/** Describes how many add-ons have their target version on every cluster. */
function targetsText(addOns: readonly AddOnSummary[]): string {
  const installed = addOns.filter(({ versions }) => versions.some(({ count }) => count > 0));
  const arrived = installed.filter(({ versions, target }) => versions.every(({ version, count }) => count === 0 || version === target));
  return arrived.length === installed.length
    ? 'every add-on has its target version on all of its clusters'
    : `${arrived.length} of ${installed.length} add-ons have their target version on all of their clusters`;
}

function Versions({ addOn: { name, versions, target } }: { addOn: AddOnSummary }): JSX.Element {
  const shown = [...versions].sort((a, b) => Number(b.version === target) - Number(a.version === target)).slice(0, MOST_VERSIONS);
  const total = versions.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return <span class="dim small">on no cluster</span>;
  return (
    <span class="spread-bar">
      {shown.map(({ version, count }) => (
        <a
          key={version}
          class={version === target ? 'at-target' : ''}
          style={{ flex: `${count} 1 auto` }}
          href={formatAddress({ page: { page: 'fleet' }, choices: { q: filterOf(name, version) } })}
          title={`${count.toLocaleString()} of ${total.toLocaleString()} clusters have ${version || 'no version yet'}`}
        >
          {version || 'none'} <span class="dim">{count.toLocaleString()}</span>
        </a>
      ))}
    </span>
  );
}

function filterOf(addOn: string, version: string): string {
  const term = (key: string, value: string) => ({ key, comparison: '=' as const, values: [value], isNegated: false });
  return formatFilter(version === '' ? [term('addon', addOn)] : [term('addon', addOn), term('version', version)]);
}
