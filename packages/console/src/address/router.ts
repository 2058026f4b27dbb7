import { createStore, type Store, useStore } from '../data/store.js';
import { type Address, type Choices, formatAddress, parseAddress } from './address.js';

const here = (): Address => parseAddress(location.pathname, location.search);
const address: Store<Address> = createStore(here());

/** Handles back and forward navigation, and clicks on links of the same origin. */
export function startRouter(): void {
  addEventListener('popstate', () => address.set(here()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.origin !== location.origin || link.hasAttribute('download')) return;
    if (link.getAttribute('href')?.startsWith('#')) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}

export function navigate(to: string): void {
  const isOtherPage = to.split('?')[0] !== location.pathname;
  history.pushState(null, '', to);
  address.set(here());
  if (isOtherPage) {
    scrollTo(0, 0);
    document.querySelector('main')?.focus({ preventScroll: true });
  }
}

export function useAddress(): Address {
  return useStore(address);
}

/** Returns the URL of the current page with changed settings. Empty values are left out. */
export function addressWith(changed: Choices): string {
  const { page, choices } = address.get();
  return formatAddress({ page, choices: { ...choices, ...changed } });
}

/** Replaces the URL without adding a history entry. Used for each key typed into a filter. */
export function replaceChoices(changed: Choices): void {
  history.replaceState(null, '', addressWith(changed));
  address.set(here());
}
