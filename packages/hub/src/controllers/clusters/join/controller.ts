import type { ObjectKey } from '@outrigger/core';
import { type CacheView, type Controller, type KeyMemory, defineController, watch } from '@outrigger/kube';
import { clusterLifecycles } from '../../../resources/cluster-lifecycle.js';
import { joinAccounts, joinBindings, joinRequests, joinRoles } from '../../../resources/joins.js';
import { type JoinMemory, type JoinState, decideJoin } from './decide.js';
import { JOIN_NAMESPACE, joinRoleName } from '../../../resources/join-names.js';

/**
 * Keyed by the name of a cluster that is to join: reduces the permissions of its join token after the first use, and deletes the token when
 * it has expired or the cluster has joined.
 */
export function joinController(): Controller<JoinState, JoinMemory> {
  return defineController({
    name: 'join',
    watches: [
      watch(joinAccounts, ({ before, after }) => nameOf((after ?? before)?.key.name)),
      watch(joinRoles, ({ before, after }) => nameOf((after ?? before)?.cluster)),
      watch(joinBindings, ({ before, after }) => nameOf((after ?? before)?.cluster)),
      watch(joinRequests, ({ before, after }) => nameOf((after ?? before)?.cluster)),
      // A change of a cluster without a join token wakes no key.
      watch(clusterLifecycles, ({ before, after }, view) => {
        const { name = '' } = (after ?? before)?.key ?? {};
        return view.get(joinAccounts, { namespace: JOIN_NAMESPACE, name }) ? [{ name }] : [];
      }),
    ],
    observe,
    decide: decideJoin,
  });
}

function observe(view: CacheView, { name }: ObjectKey, { remembered }: KeyMemory<JoinMemory>): JoinState | undefined {
  const account = view.get(joinAccounts, { namespace: JOIN_NAMESPACE, name });
  const role = view.get(joinRoles, { name: joinRoleName(name) });
  const binding = view.get(joinBindings, { name: joinRoleName(name) });
  if (!account && !role && !binding) return undefined;
  return {
    name,
    cluster: view.get(clusterLifecycles, { name }),
    account,
    role,
    binding,
    requests: view.byIndex(joinRequests, 'cluster', name),
    remembered,
  };
}

function nameOf(cluster: string | undefined): ObjectKey[] {
  return cluster === undefined || cluster === '' ? [] : [{ name: cluster }];
}
