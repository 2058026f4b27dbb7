import type { JSX } from 'preact';
import { saveAddresses, savedAddresses } from '../adapters/storage.js';
import { formatAddress } from '../address/address.js';
import { useAddress } from '../address/router.js';
import { createStore, useStore } from '../data/store.js';

const saved = createStore(savedAddresses());

function keep(addresses: readonly string[]): void {
  saveAddresses(addresses);
  saved.set(addresses);
}

/**
 * A button that saves the current search. While there is nothing to save it is invisible but keeps its place, so that the matrix below does
 * not move.
 */
export function SaveSearch(): JSX.Element {
  const addresses = useStore(saved);
  const present = formatAddress(useAddress());
  const isNew = present !== '/' && !addresses.includes(present);
  return (
    <button type="button" class={`plain small ${isNew ? '' : 'invisible'}`} onClick={() => keep([...addresses, present])}>
      Save this search
    </button>
  );
}

/** The searches (URLs) that the user saved in this browser. */
export function SavedSearches(): JSX.Element | null {
  const addresses = useStore(saved);
  const present = formatAddress(useAddress());
  if (addresses.length === 0) return null;
  return (
    <div class="saved">
      {addresses.map((address) => (
        <span key={address} class="chip">
          <a href={address} title={nameOf(address)} {...(address === present ? { 'aria-current': 'true' as const } : {})}>
            {nameOf(address)}
          </a>
          <button
            type="button"
            class="plain"
            aria-label={`Forget ${nameOf(address)}`}
            onClick={() => keep(addresses.filter((one) => one !== address))}
          >
            ×
          </button>
        </span>
      ))}
    </div>
  );
}

export function nameOf(address: string): string {
  const choices = new URLSearchParams(address.slice(2));
  const query = choices.get('q') ?? '';
  const rest = [...choices].filter(([key]) => key !== 'q').map(([key, value]) => `${key} ${value}`);
  return [query, ...rest].filter(Boolean).join(', ');
}
