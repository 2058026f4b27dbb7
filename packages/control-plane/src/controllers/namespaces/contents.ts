import type { Kind, KubeObject } from '@outrigger/core';
import { parseStorageKey } from '../../store/key.js';
import { accepting } from '../accepting.js';
import type { ControllerContext, RunningController } from '../contract.js';
import { follow, lookUp } from '../follow.js';
import { configMaps, namespaces, serviceAccounts } from '../kinds.js';
import { Worker } from '../worker.js';

const ROOT_CA = 'kube-root-ca.crt';

/** Keeps in every namespace what workloads rely on: a ServiceAccount `default` and the certificate this server is verified with. */
export function startNamespaceContents(context: ControllerContext, authority: string): RunningController {
  const { runtime, store } = context;
  const worker = new Worker(runtime, 'namespace-contents', async (name) => {
    const namespace = lookUp(store, namespaces, name);
    if (namespace && namespace.metadata.deletionTimestamp === undefined) {
      await ensureAccount(context, name);
      await ensureAuthority(context, name, authority);
    }
    return undefined;
  });
  const unfollow = follow(store, namespaces, (namespace, { metadata: { name = '' } }) => {
    if (namespace) worker.add(name);
  });
  const unsubscribe = store.subscribe(({ key }) => {
    const { group, plural, namespace, name } = parseStorageKey(key);
    const isOurs = (plural === 'serviceaccounts' && name === 'default') || (plural === 'configmaps' && name === ROOT_CA);
    if (group === '' && isOurs) worker.add(namespace);
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

async function ensureAccount(context: ControllerContext, namespace: string): Promise<void> {
  if (lookUp(context.store, serviceAccounts, 'default', namespace)) return;
  await create(context, serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
}

async function ensureAuthority(context: ControllerContext, namespace: string, authority: string): Promise<void> {
  const data = { 'ca.crt': authority };
  const found = lookUp<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(context.store, configMaps, ROOT_CA, namespace);
  if (found?.data?.['ca.crt'] === authority) return;
  if (found) await context.api.mergePatch(configMaps, { namespace, name: ROOT_CA }, { data });
  else
    await create(context, configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: ROOT_CA, namespace, annotations: ROOT_CA_NOTE },
      data,
    } as KubeObject);
}

const ROOT_CA_NOTE = {
  'kubernetes.io/description': 'Contains the certificate authority with which this API server is verified.',
};

/** It does not matter if another client created it first, or if the namespace is being deleted. */
async function create({ api }: ControllerContext, kind: Kind, object: KubeObject): Promise<void> {
  await accepting(api.create(kind, object), 'AlreadyExists', 'NotFound', 'Forbidden');
}
