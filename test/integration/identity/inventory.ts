import type { Client } from '@outrigger/kube';

/** The kinds that an inventory ignores, because a server deletes their objects after an hour. */
const PASSING: ReadonlySet<string> = new Set(['events', 'certificatesigningrequests']);

/** Returns all objects on a server, as `<resource>.<group> [<namespace>/]<name>`. */
export async function inventory(client: Client): Promise<readonly string[]> {
  client.discovery.invalidate();
  const served = (await client.discovery.resources()).filter(
    ({ plural, verbs }) => verbs.includes('list') && verbs.includes('delete') && !plural.includes('/') && !PASSING.has(plural),
  );
  const found = new Set<string>();
  for (const { group, version, kind, plural, namespaced } of served) {
    const { items } = await client.list({ group, version, kind, plural, namespaced }, { metadataOnly: true });
    for (const { metadata } of items) {
      found.add(`${plural}.${group} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name ?? ''}`);
    }
  }
  return [...found].sort();
}

/** Returns the inventory of a server when it no longer changes. */
export async function settledInventory(client: Client, rest: () => Promise<void>): Promise<readonly string[]> {
  let before = await inventory(client);
  for (;;) {
    await rest();
    const now = await inventory(client);
    if (JSON.stringify(now) === JSON.stringify(before)) return now;
    before = now;
  }
}
