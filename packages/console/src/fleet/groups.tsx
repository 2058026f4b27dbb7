import type { JSX } from 'preact';
import { addressWith } from '../address/router.js';
import { toggleTerm } from '../filter/parse.js';
import { type Group, groupingName, groupRows, KUBERNETES } from './arrange.js';
import { ColumnHeads, Totals } from './heads.js';
import type { Match } from './match.js';
import { Share } from './share.js';
import type { Fleet } from './fleet.js';

/** Shows the fleet grouped by the values of one label: one row per value, with the share of each state in each column. */
export function Groups(props: { fleet: Fleet; match: Match; label: string; query: string; order: string }): JSX.Element {
  const { fleet, match, label, query, order } = props;
  const groups = groupRows(fleet, match, label);
  return (
    <div class="grid">
      <table>
        <ColumnHeads fleet={fleet} match={match} query={query} order={order} first={groupingName(label)} />
        <tbody>
          {groups.map((group) => (
            <tr key={group.value ?? ''}>
              <th scope="row">
                <GroupName group={group} label={label} query={query} />
              </th>
              {group.counts.map((counts, position) => (
                <td key={match.columns[position]} class="group">
                  <Share counts={counts} />
                  <Totals counts={counts} query={query} addon={fleet.addons[match.columns[position] ?? 0]?.name ?? ''} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function GroupName({ group, label, query }: { group: Group; label: string; query: string }): JSX.Element {
  const count = <span class="dim small">{group.rows.length.toLocaleString()}</span>;
  if (group.value === undefined) return <span class="dim">without it {count}</span>;
  const q = label === KUBERNETES ? toggleTerm(query, 'kubernetes', group.value) : toggleTerm(query, 'label', `${label}=${group.value}`);
  return (
    <>
      <a href={addressWith({ group: '', q })}>{group.value || '(empty)'}</a> {count}
    </>
  );
}
