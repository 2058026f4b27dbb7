import type { Kind, KubeObject } from '@outrigger/core';
import { parseStorageKey } from '../../store/key.js';
import { accepting } from '../accepting.js';
import type { ControllerContext, RunningController } from '../contract.js';
import { follow, lookUp } from '../follow.js';
import { configMaps, namespaces, serviceAccounts } from '../kinds.js';
import { Worker } from '../worker.js';

const ROOT_CA = 'kube-root-ca.crt';
/** The ConfigMap that contains the CA certificate for client certificates. Extension API servers read it. */
const CLIENT_CA = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

/**
 * Maintains the objects that workloads need in every namespace: the ServiceAccount `default`, and the CA certificate with which clients
 * verify this server.
 */
export function startDefaultObjects(context: ControllerContext, authority: string): RunningController {
  const { runtime, store } = context;
  const worker = new Worker(runtime, 'namespace-contents', async (name) => {
    const namespace = lookUp(store, namespaces, name);
    if (namespace && namespace.metadata.deletionTimestamp === undefined) {
      await ensureAccount(context, name);
      await ensureData(context, { namespace: name, name: ROOT_CA }, { 'ca.crt': authority }, ROOT_CA_NOTE);
      if (name === CLIENT_CA.namespace) await ensureData(context, CLIENT_CA, { 'client-ca-file': authority });
    }
    return undefined;
  });
  const unfollow = follow(store, namespaces, (namespace, { metadata: { name = '' } }) => {
    if (namespace) worker.add(name);
  });
  const unsubscribe = store.subscribe(({ key }) => {
    const { group, plural, namespace, name } = parseStorageKey(key);
    const isOurs =
      (plural === 'serviceaccounts' && name === 'default') ||
      (plural === 'configmaps' && (name === ROOT_CA || (name === CLIENT_CA.name && namespace === CLIENT_CA.namespace)));
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

/** Restores the given keys of a ConfigMap; other keys stay unchanged. */
async function ensureData(
  context: ControllerContext,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  data: Readonly<Record<string, string>>,
  annotations?: Readonly<Record<string, string>>,
): Promise<void> {
  const found = lookUp<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(context.store, configMaps, name, namespace);
  if (found && Object.entries(data).every(([key, value]) => found.data?.[key] === value)) return;
  if (found) await context.api.mergePatch(configMaps, { namespace, name }, { data });
  else {
    const metadata = { name, namespace, ...(annotations ? { annotations } : {}) };
    await create(context, configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as KubeObject);
  }
}

const ROOT_CA_NOTE = {
  'kubernetes.io/description': 'Contains the certificate authority with which this API server is verified.',
};

/** Creates an object. It is not an error if another client has created it first, or if the namespace is being deleted. */
async function create({ api }: ControllerContext, kind: Kind, object: KubeObject): Promise<void> {
  await accepting(api.create(kind, object), 'AlreadyExists', 'NotFound', 'Forbidden');
}
