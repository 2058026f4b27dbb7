import type { Attention } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { ActionButton } from '../parts/confirm.js';
import { Glyph } from '../parts/glyph.js';
import { Moment } from '../parts/moment.js';
import { lookOf } from '../parts/states.js';

const MOST_ITEMS = 20;

/** The problems that need user action, each with its start time and one button. */
export function AttentionList({ items }: { items: readonly Attention[] }): JSX.Element {
  const sorted = [...items].sort((a, b) => lookOf(b.type).rank - lookOf(a.type).rank);
  return (
    <>
      <h2 id="attention">Needs attention</h2>
      {items.length === 0 ? (
        <p class="dim">Nothing waits for a person.</p>
      ) : (
        <ul class="lines">
          {sorted.slice(0, MOST_ITEMS).map((item) => (
            <li key={`${item.type} ${item.addOn ?? ''} ${item.cluster ?? ''} ${item.text}`}>
              <Glyph state={item.type} alone />
              <span class="grow">{item.text}</span>
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

function Open({ item: { type, addOn, cluster, text } }: { item: Attention }): JSX.Element {
  const says = `Open: ${text}`;
  if (addOn !== undefined && cluster !== undefined) {
    return (
      <a href={formatPage({ page: 'cell', cluster, addon: addOn })} aria-label={says}>
        Open
      </a>
    );
  }
  if (cluster !== undefined) {
    return (
      <a href={formatPage({ page: 'cluster', cluster })} aria-label={says}>
        Open
      </a>
    );
  }
  const href =
    addOn === undefined
      ? `/?q=${type === 'unreachable' ? 'state%3Aunreachable' : ''}&sort=worst`
      : formatPage({ page: 'rollout', addon: addOn });
  return (
    <a href={href} aria-label={says}>
      Open
    </a>
  );
}
