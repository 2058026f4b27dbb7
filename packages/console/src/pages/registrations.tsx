import type { RegistrationItem } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { Moment } from '../parts/moment.js';

export function Registrations({ items }: { items: readonly RegistrationItem[] }): JSX.Element {
  if (items.length === 0) return <p class="dim">The add-on asks for no identity on the hub.</p>;
  return (
    <ul class="lines">
      {items.map(({ type, signer, user, expiresAt }) => (
        <li key={`${signer} ${user}`}>
          <span class="grow">
            {user} <span class="dim">{signer || type}</span>
          </span>
          <span class="since">
            {expiresAt === undefined ? (
              'no certificate yet'
            ) : (
              <>
                certificate ends <Moment at={expiresAt} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
