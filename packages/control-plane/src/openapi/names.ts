/** Returns the name of a custom kind in OpenAPI documents: `example.com`, `v1`, `Widget` → `com.example.v1.Widget`. */
export function customDefinitionName(group: string, version: string, kind: string): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

/** Returns the name of a group in tags and operations: `rbac.authorization.k8s.io` → `rbacAuthorization`. */
export function groupWord(group: string): string {
  const words = (group === '' ? 'core' : group.replace(/\.k8s\.io$/, '')).split(/[^A-Za-z0-9]+/);
  return words.map((word, index) => (index === 0 ? word : capital(word))).join('');
}

export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
