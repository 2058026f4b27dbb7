import type { RegistrationItem } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { Glyph } from '../parts/glyph.js';
import { Moment, useNow } from '../parts/moment.js';

/** The identities of the add-on's agent on the hub, each with the lifetime of its certificate. */
export function Registrations({ items }: { items: readonly RegistrationItem[] }): JSX.Element {
  if (items.length === 0) return <p class="dim">The add-on asks for no identity on the hub.</p>;
  return (
    <ul class="lines">
      {items.map((item) => (
        <li key={`${item.signer} ${item.user}`}>
          <span class="grow">
            <b class="wrap">{item.user || item.type}</b>
            <br />
            <span class="dim small">
              {item.signer}
              {item.groups.length > 0 && ` · groups ${item.groups.join(', ')}`}
            </span>
            {item.problem !== '' && (
              <span class="tone-bad">
                <br />
                <Glyph state="failed" /> {item.problem}
              </span>
            )}
            <Life item={item} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The elapsed share of the certificate's lifetime. */
function Life({ item: { issuedAt, expiresAt } }: { item: RegistrationItem }): JSX.Element {
  const now = useNow();
  if (issuedAt === undefined || expiresAt === undefined) return <span class="dim small"> · no certificate is reported</span>;
  const [from, to] = [Date.parse(issuedAt), Date.parse(expiresAt)];
  const share = Math.max(0, Math.min(1, (now - from) / (to - from)));
  return (
    <span class="life">
      <span class="share" aria-hidden="true">
        <i class={share > 0.9 ? 'tone-bad' : 'tone-good'} style={{ flex: share }} />
        <i class="rest" style={{ flex: 1 - share }} />
      </span>
      <span class="dim small">
        certificate issued <Moment at={issuedAt} />, ends <Moment at={expiresAt} />
      </span>
    </span>
  );
}
