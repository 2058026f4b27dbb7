import type { Gate, Measurements, OfferedAction } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { ActionButton } from '../parts/confirm.js';
import { Glyph } from '../parts/glyph.js';
import { Moment } from '../parts/moment.js';
import { ObjectName } from '../parts/object-link.js';
import { Prose } from '../parts/prose.js';

/** Shows the gates in front of an entry or a group as doors: closed doors with the decisions that open them, then open doors. */
export function Gates({ gates, label }: { gates: readonly Gate[]; label: string }): JSX.Element | null {
  if (gates.length === 0) return null;
  const sorted = [...gates].sort((a, b) => Number(a.isOpen) - Number(b.isOpen));
  return (
    <ul class="gates" aria-label={label}>
      {sorted.map((gate) => (
        <li key={`${gate.type} ${gate.name} ${gate.message}`} class={gate.isOpen ? 'door open' : 'door'} data-gate={gate.name}>
          <Glyph state={gate.isOpen ? 'open-gate' : 'closed-gate'} />
          <span class="grow">
            <b>{gate.type}</b> {gate.policy === undefined ? gate.name : <ObjectName object={gate.policy} text={gate.name} />}{' '}
            <Prose text={gate.message} />
            {gate.measurements !== undefined && <Measured of={gate.measurements} />}
          </span>
          <Times gate={gate} />
          {gate.actions.length > 0 && (
            <span class="actions">
              {gate.actions.map((offer) => (
                <ActionButton key={offer.command} offer={offer} kind={isApproval(offer) ? 'primary' : ''} />
              ))}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Whether the action is the usual way to open a gate. Only this action is highlighted, not an override or a rejection. */
function isApproval({ action }: OfferedAction): boolean {
  return action.action === 'decide' && action.verb === 'approve';
}

function Times({ gate: { since, until } }: { gate: Gate }): JSX.Element | null {
  if (since === undefined && until === undefined) return null;
  return (
    <span class="since">
      {since !== undefined && (
        <>
          since <Moment at={since} length />
        </>
      )}
      {until !== undefined && (
        <>
          {since === undefined ? '' : ', '}opens <Moment at={until} />
        </>
      )}
    </span>
  );
}

/** Shows the measurements of an analysis as squares, at most as many as fit on a line. */
function Measured({ of: { passed, failed, inconclusive } }: { of: Measurements }): JSX.Element {
  const marks = [
    ...Array.from({ length: failed }, () => 'failed'),
    ...Array.from({ length: inconclusive }, () => 'inconclusive'),
    ...Array.from({ length: passed }, () => 'passed'),
  ];
  return (
    <span class="measured">
      <span class="measures" aria-hidden="true">
        {marks.slice(0, 40).map((mark, index) => (
          <i key={index} class={mark} />
        ))}
      </span>
      <span class="small dim">
        {passed} passed, {failed} failed{inconclusive > 0 && `, ${inconclusive} without a result`}
      </span>
    </span>
  );
}
