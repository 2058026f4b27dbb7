import type { FailureGroup } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatAddress } from '../address/address.js';
import { formatFilter } from '../filter/parse.js';

const MOST_GROUPS = 6;
const MOST_ADD_ONS = 5;

/**
 * Shows the reasons why cells are unhealthy, such as `412 × ImagePullBackOff`, and for the whole fleet the add-ons of each reason. A click
 * on a reason, or on an add-on of a reason, filters the matrix.
 */
export function Failures({ groups, addon }: { groups: readonly FailureGroup[]; addon?: string }): JSX.Element {
  return (
    <>
      <h2>Failure reasons</h2>
      {groups.length === 0 ? (
        <p class="dim">No add-on reports a failure.</p>
      ) : (
        <Groups groups={groups.slice(0, MOST_GROUPS)} addon={addon} />
      )}
      {groups.length > MOST_GROUPS && (
        <details>
          <summary class="small">
            {groups.length - MOST_GROUPS} more {groups.length - MOST_GROUPS === 1 ? 'reason' : 'reasons'}
          </summary>
          <Groups groups={groups.slice(MOST_GROUPS)} addon={addon} />
        </details>
      )}
    </>
  );
}

function Groups({ groups, addon }: { groups: readonly FailureGroup[]; addon: string | undefined }): JSX.Element {
  return (
    <ul class="lines reasons">
      {groups.map((group) => (
        <li key={group.reason}>
          <b class="times">{group.count.toLocaleString()} ×</b>
          <span class="grow">
            <a href={addressOf(group.reason, addon)}>{group.reason}</a>
            {(addon === undefined ? group.messages.slice(0, 1) : group.messages).map((message) => (
              <span key={message} class="example" title={message}>
                {message}
              </span>
            ))}
            <MoreMessages group={group} shown={addon === undefined ? 1 : group.messages.length} />
            {addon === undefined && <AddOns group={group} />}
          </span>
          {addon !== undefined && (
            <span class="since" title={group.clusters.join(', ')}>
              {group.clusters.slice(0, 2).join(', ')}
              {group.count > 2 && ' …'}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function MoreMessages({ group: { messages, moreMessages }, shown }: { group: FailureGroup; shown: number }): JSX.Element | null {
  const more = Math.max(0, messages.length - shown) + moreMessages;
  if (more === 0) return null;
  return (
    <span class="example">
      and {more.toLocaleString()} other {more === 1 ? 'message' : 'messages'}
    </span>
  );
}

function AddOns({ group: { reason, addOns } }: { group: FailureGroup }): JSX.Element {
  const more = addOns.length - MOST_ADD_ONS;
  return (
    <span class="about">
      {addOns.slice(0, MOST_ADD_ONS).map(({ name, count }) => (
        <a key={name} href={addressOf(reason, name)} title={`${reason} of ${name}`}>
          {name} {count.toLocaleString()}
        </a>
      ))}
      {more > 0 && (
        <span>
          and {more} more {more === 1 ? 'add-on' : 'add-ons'}
        </span>
      )}
    </span>
  );
}

/** Returns the URL of the matrix, filtered by the reason and, if given, by the add-on. */
function addressOf(reason: string, addon: string | undefined): string {
  const term = (key: string, value: string) => ({ key, comparison: '=' as const, values: [value], isNegated: false });
  const terms = [...(addon === undefined ? [] : [term('addon', addon)]), term('reason', reason)];
  return formatAddress({ page: { page: 'fleet' }, choices: { q: formatFilter(terms) } });
}
