import type { ActivityItem } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { Glyph } from './glyph.js';
import { Moment } from './moment.js';
import { ObjectName } from './object-link.js';

/** The activity of the hub, newest first. */
export function ActivityList({ items }: { items: readonly ActivityItem[] }): JSX.Element {
  if (items.length === 0) return <p class="dim">Nothing is recorded.</p>;
  return (
    <ul class="lines">
      {items.map((item) => (
        <li key={item.id}>
          <Glyph state={item.type === 'Warning' ? 'degraded' : 'note'} />
          <span class="grow">
            <b>{item.reason}</b> {item.message} {item.count > 1 && <span class="dim">({item.count} times)</span>}
            <br />
            <span class="small dim">
              {item.addOn !== undefined && item.cluster !== undefined ? (
                <a href={formatPage({ page: 'cell', cluster: item.cluster, addon: item.addOn })}>
                  {item.addOn} on {item.cluster}
                </a>
              ) : item.addOn !== undefined ? (
                <a href={formatPage({ page: 'rollout', addon: item.addOn })}>{item.addOn}</a>
              ) : (
                item.cluster !== undefined && <a href={formatPage({ page: 'cluster', cluster: item.cluster })}>{item.cluster}</a>
              )}{' '}
              {item.by !== '' && `by ${item.by}`}
              {item.object !== undefined && (
                <>
                  {' · '}
                  <ObjectName object={item.object} text={item.object.resource} />
                </>
              )}
            </span>
          </span>
          <span class="since">
            <Moment at={item.at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
