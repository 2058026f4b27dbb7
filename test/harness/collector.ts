import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Http } from './http.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** The time limit, which only prevents a test from hanging. */
const LONGEST_MS = 120_000;

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/**
 * Resolves when the garbage collector follows every custom kind that is defined now. To find out, it creates a ConfigMap for each kind,
 * owned by an object of the kind that does not exist. A collector that watches the kind deletes the ConfigMap; otherwise the ConfigMap
 * stays.
 */
export async function untilCollected(admin: Http): Promise<void> {
  const waiting = new Set<string>();
  for (const definition of await definitions(admin)) {
    const name = `collected-${definition.metadata.name}`;
    await create(admin, orphan(name, definition));
    waiting.add(name);
  }
  for (const endAt = performance.now() + LONGEST_MS; waiting.size > 0; await sleep(100)) {
    for (const name of waiting) if ((await admin.send({ path: `${CONFIG_MAPS}/${name}` })).status === 404) waiting.delete(name);
    if (waiting.size > 0 && performance.now() > endAt)
      throw new Error(`the garbage collector left alone, although their owners do not exist: ${[...waiting].join(', ')}`);
  }
}

async function definitions(admin: Http): Promise<readonly Definition[]> {
  const { status, text } = await admin.send({ path: DEFINITIONS });
  if (status !== 200) throw new Error(`the definitions could not be listed: ${text}`);
  return (JSON.parse(text) as { readonly items: readonly Definition[] }).items;
}

function orphan(name: string, { spec: { group, names, versions } }: Definition): object {
  const version = versions.find(({ served }) => served)?.name ?? '';
  const owner = { apiVersion: `${group}/${version}`, kind: names.kind, name: 'absent', uid: randomUUID() };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences: [owner] } };
}

async function create(admin: Http, body: object): Promise<void> {
  const { status, text } = await admin.send({ method: 'POST', path: CONFIG_MAPS, body });
  if (status !== 201) throw new Error(`a ConfigMap for the garbage collector could not be created: ${text}`);
}
