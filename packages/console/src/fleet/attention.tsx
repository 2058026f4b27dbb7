import type { Attention, ClusterState } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatAddress, formatPage } from '../address/address.js';
import { ActionButton } from '../parts/confirm.js';
import { Glyph } from '../parts/glyph.js';
import { Moment } from '../parts/moment.js';
import { Prose } from '../parts/prose.js';
import { lookOf } from '../parts/states.js';

const MOST_ITEMS = 20;

/** The problems that need user action, each with its start time and one button. */
export function AttentionList({ items }: { items: readonly Attention[] }): JSX.Element {
  const sorted = [...items].sort((a, b) => lookOf(b.type).rank - lookOf(a.type).rank);
  return (
    <>
      <h2 id="attention">Needs attention</h2>
      {items.length === 0 ? (
        <p class="dim">No item needs a decision.</p>
      ) : (
        <ul class="lines attention">
          {sorted.slice(0, MOST_ITEMS).map((item) => (
            <li key={`${item.type} ${item.addOn ?? ''} ${item.cluster ?? ''} ${item.text}`}>
              <Glyph state={item.type} alone />
              <span class="grow">
                <Prose text={item.text} />
              </span>
              <span class="since">
                <Moment at={item.since} length />
              </span>
              {item.action === undefined ? <Open item={item} /> : <ActionButton offer={item.action} />}
            </li>
          ))}
        </ul>
      )}
      {items.length > MOST_ITEMS && <p class="dim">and {items.length - MOST_ITEMS} more</p>}
    </>
  );
}

/** A link to the page that shows the cause of an item, for items without an action. */
function Open({ item }: { item: Attention }): JSX.Element {
  return (
    <a class="button" href={addressOf(item)} aria-label={`Open: ${item.text}`}>
      Open
    </a>
  );
}

/** For each type of item, the state by which the fleet page filters its clusters. */
const STATES: Readonly<Partial<Record<Attention['type'], ClusterState>>> = { unreachable: 'unreachable', 'pending-cluster': 'pending' };

function addressOf({ type, addOn, cluster, clusters }: Attention): string {
  if (addOn !== undefined && cluster !== undefined) return formatPage({ page: 'cell', cluster, addon: addOn });
  if (cluster !== undefined) return formatPage({ page: 'cluster', cluster });
  if (addOn !== undefined) return formatPage({ page: 'rollout', addon: addOn });
  const state = STATES[type];
  const q = state !== undefined ? `is:${state}` : clusters !== undefined ? `cluster:${clusters.join(',')}` : '';
  return formatAddress({ page: { page: 'fleet' }, choices: { q, sort: 'worst' } });
}
