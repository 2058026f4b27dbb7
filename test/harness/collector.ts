import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Http } from './http.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** The time limit, which only prevents a test from hanging. */
const LONGEST_MS = 120_000;

/** The label of the ConfigMaps that the collector must delete. */
const ORPHAN = 'orphan-of-a-kind';

interface Named {
  readonly metadata: { readonly name: string };
}

interface Definition extends Named {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/**
 * Resolves when the garbage collector follows every custom kind that is defined now. For each kind, this function creates a ConfigMap whose
 * owner is a nonexistent object of that kind. A collector that watches the kind deletes the ConfigMap, so the function waits until no
 * ConfigMap is left.
 */
export async function untilCollected(admin: Http): Promise<void> {
  for (const definition of await list<Definition>(admin, DEFINITIONS))
    await create(admin, orphan(`collected-${definition.metadata.name}`, definition));
  const orphans = async (): Promise<readonly string[]> =>
    (await list<Named>(admin, `${CONFIG_MAPS}?labelSelector=${ORPHAN}`)).map(({ metadata }) => metadata.name);
  const endAt = performance.now() + LONGEST_MS;
  for (let left = await orphans(); left.length > 0; left = await orphans()) {
    if (performance.now() > endAt)
      throw new Error(`the garbage collector left alone, although their owners do not exist: ${left.join(', ')}`);
    await sleep(100);
  }
}

/** Lists objects with one request, because a request for each kind would keep the server busy during its start. */
async function list<T>(admin: Http, path: string): Promise<readonly T[]> {
  const { status, text } = await admin.send({ path });
  if (status !== 200) throw new Error(`${path} could not be listed: ${text}`);
  return (JSON.parse(text) as { readonly items: readonly T[] }).items;
}

function orphan(name: string, { spec: { group, names, versions } }: Definition): object {
  const version = versions.find(({ served }) => served)?.name ?? '';
  const owner = { apiVersion: `${group}/${version}`, kind: names.kind, name: 'absent', uid: randomUUID() };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { [ORPHAN]: 'true' }, ownerReferences: [owner] } };
}

async function create(admin: Http, body: object): Promise<void> {
  const { status, text } = await admin.send({ method: 'POST', path: CONFIG_MAPS, body });
  if (status !== 201) throw new Error(`a ConfigMap for the garbage collector could not be created: ${text}`);
}
