import type { JSX } from 'preact';
import { saveAddresses, savedAddresses } from '../adapters/storage.js';
import { formatAddress } from '../address/address.js';
import { useAddress } from '../address/router.js';
import { createStore, useStore } from '../data/store.js';

const saved = createStore(savedAddresses());

/** The searches (URLs) that the user saved in this browser, and a button to save the current search. */
export function SavedSearches(): JSX.Element | null {
  const addresses = useStore(saved);
  const { page, choices } = useAddress();
  const present = formatAddress({ page, choices });
  const isSearch = present !== '/';
  const isSaved = addresses.includes(present);
  const keep = (next: readonly string[]) => {
    saveAddresses(next);
    saved.set(next);
  };
  if (!isSearch && addresses.length === 0) return null;
  return (
    <div class="saved">
      {addresses.map((address) => (
        <span key={address} class="chip">
          <a href={address} {...(address === present ? { 'aria-current': 'true' as const } : {})}>
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
      {isSearch && !isSaved && (
        <button type="button" class="plain small" onClick={() => keep([...addresses, present])}>
          Save this search
        </button>
      )}
    </div>
  );
}

export function nameOf(address: string): string {
  const choices = new URLSearchParams(address.slice(2));
  const query = choices.get('q') ?? '';
  const rest = [...choices].filter(([key]) => key !== 'q').map(([key, value]) => `${key} ${value}`);
  return [query, ...rest].filter(Boolean).join(', ');
}
