import { type KubeObject, asJson, toTime } from '@outrigger/core';
import { everyEntry } from '../../every-entry.js';
import { parseStorageKey, storagePrefix } from '../../store/key.js';
import { accepting } from '../accepting.js';
import type { ControllerContext, RunningController } from '../contract.js';
import { follow, lookUp } from '../follow.js';
import { namespaces } from '../kinds.js';
import { Worker } from '../worker.js';
import { CONTENT_FINALIZER, deletionConditions, type Namespace, type Remains } from './deletion.js';

/** Deletes the content of namespaces that are being deleted, then removes their finalizer. */
export function startNamespaceLifecycle(context: ControllerContext): RunningController {
  const { runtime, store } = context;
  const terminating = new Set<string>();
  const worker = new Worker(runtime, 'namespace-lifecycle', async (name) => {
    const namespace = lookUp<Namespace>(store, namespaces, name);
    if (namespace && isTerminating(namespace)) await deleteContent(context, namespace);
    return undefined;
  });
  const unfollow = follow(store, namespaces, (namespace, { metadata: { name = '' } }) => {
    if (namespace && isTerminating(namespace)) {
      terminating.add(name);
      worker.add(name);
    } else terminating.delete(name);
  });
  const unsubscribe = store.subscribe(({ type, key }) => {
    if (terminating.size === 0 || type === 'put') return;
    const { namespace } = parseStorageKey(key);
    if (terminating.has(namespace)) worker.add(namespace);
  });
  worker.start();
  return {
    stop: () => {
      unfollow();
      unsubscribe();
      return worker.stop();
    },
  };
}

function isTerminating({ metadata, spec }: Namespace): boolean {
  return metadata.deletionTimestamp !== undefined && (spec?.finalizers ?? []).includes(CONTENT_FINALIZER);
}

async function deleteContent(context: ControllerContext, namespace: Namespace): Promise<void> {
  const name = namespace.metadata.name ?? '';
  for (const { kind, objects } of remainsOf(context, name)) {
    for (const object of objects) if (object.metadata.deletionTimestamp === undefined) await remove(context, kind, object);
  }
  const remains = remainsOf(context, name);
  if (remains.length === 0) await finalize(context, name);
  else await report(context, name, remains);
}

function remainsOf({ store, catalog }: ControllerContext, namespace: string): Remains[] {
  const remains: Remains[] = [];
  for (const kind of catalog.all()) {
    if (!kind.namespaced) continue;
    const objects = [...everyEntry(store, storagePrefix(kind, namespace))].map(({ object }) => object);
    if (objects.length > 0) remains.push({ kind, objects });
  }
  return remains;
}

async function remove({ api }: ControllerContext, kind: Remains['kind'], { metadata }: KubeObject): Promise<void> {
  const { name = '', namespace = '', uid } = metadata;
  // If the object was deleted or recreated meanwhile, the next pass handles it.
  await accepting(
    api.remove(kind, { name, namespace }, { preconditions: { uid }, propagationPolicy: 'Background' }),
    'NotFound',
    'Conflict',
  );
}

async function report({ api, store, runtime }: ControllerContext, name: string, remains: readonly Remains[]): Promise<void> {
  const namespace = lookUp<Namespace>(store, namespaces, name);
  if (!namespace) return;
  const old = namespace.status?.conditions ?? [];
  const conditions = deletionConditions(old, remains, toTime(runtime.clock.now()));
  if (conditions === old) return;
  const { resourceVersion } = namespace.metadata;
  const status = { phase: 'Terminating', conditions: asJson(conditions) };
  await api.mergePatch(namespaces, { name }, { metadata: { resourceVersion }, status }, 'status');
}

async function finalize({ api, store }: ControllerContext, name: string): Promise<void> {
  const namespace = lookUp<Namespace>(store, namespaces, name);
  if (!namespace) return;
  const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== CONTENT_FINALIZER);
  await api.replace(namespaces, { ...namespace, spec: { ...namespace.spec, finalizers } } as Namespace, 'finalize');
}
