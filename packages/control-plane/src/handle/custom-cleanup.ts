import { errorMessage, isApiError, keyOf, objectPath, type Cancel, type KubeObject } from '@outrigger/core';
import { CLEANUP_FINALIZER, DEFINITIONS, type Definition } from '../registry/crd/definition.js';
import { parseStorageKey, storagePrefix } from '../store/key.js';
import type { Handle, Identity } from './contract.js';
import type { ServerState } from './context.js';

const IDENTITY: Identity = { user: 'system:apiserver', groups: ['system:masters'] };
const RETRY_MS = 1000;

/** Finishes the deletion of CRDs: deletes the instances, waits for their finalizers, then removes the CRD's finalizer. */
export function cleanUpDefinitions(server: ServerState, handle: Handle): Cancel {
  const { store, runtime } = server;
  const running = new Set<string>();
  const again = new Set<string>();
  const cancels = new Set<Cancel>();
  let stopped = false;

  const look = (definition: KubeObject): void => {
    const { name = '', deletionTimestamp, finalizers } = definition.metadata;
    if (stopped || deletionTimestamp === undefined || !finalizers?.includes(CLEANUP_FINALIZER)) return;
    if (running.has(name)) again.add(name);
    else void pass(name);
  };

  const pass = async (name: string): Promise<void> => {
    running.add(name);
    try {
      await cleanUp(server, handle, name);
    } catch (error) {
      runtime.log.warn({ definition: name, error: errorMessage(error) }, 'deleting custom resources failed, will be retried');
      retryLater(name);
    } finally {
      running.delete(name);
    }
    if (again.delete(name)) lookUp(name);
  };

  const retryLater = (name: string): void => {
    const cancel = runtime.timers.after(RETRY_MS, () => {
      cancels.delete(cancel);
      lookUp(name);
    });
    cancels.add(cancel);
  };

  const lookUp = (name: string): void => {
    const entry = store.get(`${storagePrefix(DEFINITIONS, '')}${name}`);
    if (entry) look(entry.object);
  };

  for (const { object } of store.range(storagePrefix(DEFINITIONS)).entries) look(object);
  const unsubscribe = store.subscribe(({ key, type, object }) => {
    const { group, plural } = parseStorageKey(key);
    if (group === DEFINITIONS.group && plural === DEFINITIONS.plural) {
      if (type === 'put') look(object);
    } else if (type === 'delete' && group !== '') {
      lookUp(`${plural}.${group}`);
    }
  });
  return () => {
    stopped = true;
    unsubscribe();
    for (const cancel of cancels) cancel();
  };
}

async function cleanUp({ store }: ServerState, handle: Handle, name: string): Promise<void> {
  const definition = store.get(`${storagePrefix(DEFINITIONS, '')}${name}`)?.object as Definition | undefined;
  if (!definition) return;
  const { group, names, versions, scope } = definition.spec;
  const version = versions.find(({ served }) => served)?.name;
  for (const { object } of store.range(storagePrefix({ group, plural: names.plural })).entries) {
    if (object.metadata.deletionTimestamp !== undefined || version === undefined) continue;
    const kind = { group, version, kind: names.kind, plural: names.plural, namespaced: scope === 'Namespaced' };
    await send(handle, { method: 'DELETE', path: objectPath(kind, keyOf(object)) });
  }
  if (store.count(storagePrefix({ group, plural: names.plural })) > 0) return;
  const finalizers = (definition.metadata.finalizers ?? []).filter((other) => other !== CLEANUP_FINALIZER);
  const { uid, resourceVersion } = definition.metadata;
  await send(handle, {
    method: 'PATCH',
    path: objectPath(DEFINITIONS, { name }),
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { uid, resourceVersion, finalizers } },
  });
}

/** Sends a request and ignores conflicts, because the conflicting write triggers the cleanup again. */
async function send(handle: Handle, request: Parameters<Handle>[0]): Promise<void> {
  const { status, body } = await handle(request, IDENTITY);
  if (status < 300 || status === 404 || status === 409) return;
  throw new Error(isApiError(body) ? body.message : JSON.stringify(body));
}
