// What this browser keeps for the user: nothing of the fleet, only addresses.

const KEY = 'outrigger.saved-searches';
const MOST_SAVED = 20;

/** The saved addresses; none if the browser keeps nothing, or something else. */
export function savedAddresses(): readonly string[] {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown;
    return Array.isArray(found)
      ? found.filter((one): one is string => typeof one === 'string' && one.startsWith('/?')).slice(0, MOST_SAVED)
      : [];
  } catch {
    return [];
  }
}

/** Returns whether the browser kept them: it may be told to keep nothing. */
export function saveAddresses(addresses: readonly string[]): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(addresses.slice(0, MOST_SAVED)));
    return true;
  } catch {
    return false;
  }
}
