import type { FailureGroup } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatAddress } from '../address/address.js';
import { formatFilter } from '../filter/parse.js';

const MOST_GROUPS = 6;

/** Reasons of unhealthy cells, grouped: `412 × ImagePullBackOff`. A click shows those clusters. */
export function Failures({ groups, addon }: { groups: readonly FailureGroup[]; addon?: string }): JSX.Element {
  return (
    <>
      <h2>Why cells are not well</h2>
      {groups.length === 0 ? (
        <p class="dim">No add-on reports a failure.</p>
      ) : (
        <ul class="lines">
          {groups.slice(0, MOST_GROUPS).map((group) => (
            <li key={`${group.addOn} ${group.reason}`}>
              <b class="nowrap">{group.count.toLocaleString()} ×</b>
              <span class="grow" title={group.message}>
                <a href={addressOfGroup(group)}>{group.reason}</a>
                {addon === undefined && <span class="dim"> {group.addOn}</span>}
              </span>
              <span class="since">
                {group.clusters.slice(0, 2).join(', ')}
                {group.count > 2 && ' …'}
              </span>
            </li>
          ))}
        </ul>
      )}
      {groups.length > MOST_GROUPS && <p class="dim small">and {groups.length - MOST_GROUPS} more reasons</p>}
    </>
  );
}

function addressOfGroup({ addOn, reason }: FailureGroup): string {
  const term = (key: string, value: string) => ({ key, comparison: '=' as const, values: [value], isNegated: false });
  return formatAddress({ page: { page: 'fleet' }, choices: { q: formatFilter([term('addon', addOn), term('reason', reason)]) } });
}
