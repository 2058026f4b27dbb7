// Stores the user's saved searches in the browser. The stored data contains only URLs, no fleet data.

const KEY = 'outrigger.saved-searches';
const MOST_SAVED = 20;

/** The saved URLs; empty if storage is disabled or its content is invalid. */
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

/** Returns whether the browser stored the URLs; false if storage is disabled. */
export function saveAddresses(addresses: readonly string[]): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(addresses.slice(0, MOST_SAVED)));
    return true;
  } catch {
    return false;
  }
}
