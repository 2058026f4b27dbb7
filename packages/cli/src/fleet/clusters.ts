import { managedClusters } from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { notFound } from '../failure.js';
import { suggestion } from '../terminal/suggest.js';
import { find, listOf, nameOf } from './objects.js';

/** Fails if a cluster does not exist, and suggests the nearest name. */
export async function requireClusters(hub: Client, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (await find(hub, managedClusters, { name })) continue;
    const known = (await listOf(hub, managedClusters)).map(nameOf).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    throw notFound(`there is no cluster "${name}"${suggestion(name, known)}`);
  }
}
