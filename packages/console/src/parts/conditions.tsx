import type { ConditionItem } from '@outrigger/console-contract';
import { Fragment, type JSX } from 'preact';
import { Glyph } from './glyph.js';
import { Moment } from './moment.js';
import { Prose } from './prose.js';
import { conditionState } from './states.js';

export function Conditions({ conditions }: { conditions: readonly ConditionItem[] }): JSX.Element {
  if (conditions.length === 0) return <p class="dim">No conditions are reported.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Conditions">
      <table class="plain conditions">
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
                <Glyph state={conditionState({ type, status, reason })} /> {status}
              </td>
              <td class="reason-word">
                {reason.split(/(?=[A-Z][a-z])/).map((word, index) => (
                  <Fragment key={index}>
                    {word}
                    <wbr />
                  </Fragment>
                ))}
              </td>
              <td>
                <Prose text={message} />
              </td>
              <td class="nowrap">
                <Moment at={since} length />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
