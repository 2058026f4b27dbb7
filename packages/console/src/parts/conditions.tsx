import type { ConditionItem } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { Glyph } from './glyph.js';
import { Moment } from './moment.js';

export function Conditions({ conditions }: { conditions: readonly ConditionItem[] }): JSX.Element {
  if (conditions.length === 0) return <p class="dim">No conditions are reported.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Conditions">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Condition</th>
            <th scope="col">Status</th>
            <th scope="col">Reason</th>
            <th scope="col">Message</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map(({ type, status, reason, message, since }) => (
            <tr key={type}>
              <td class="nowrap">{type}</td>
              <td class="nowrap">
                <Glyph state={status} /> {status}
              </td>
              <td>{reason}</td>
              <td>{message}</td>
              <td>
                <Moment at={since} length />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
