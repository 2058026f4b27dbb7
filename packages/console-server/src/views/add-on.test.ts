import type { HubPermission } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { addOnPage } from './add-on.js';
import { SEES_ALL } from './sight.js';

it.each<[HubPermission, string, string]>([
  [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'agent' } }, 'cluster', 'agent'],
  [{ type: 'CurrentCluster', roleRef: { kind: 'ClusterRole', name: 'agent' } }, 'cluster', 'agent'],
  [{ type: 'SingleNamespace', singleNamespace: { namespace: 'n', roleRef: { kind: 'Role', name: 'agent' } } }, 'n', 'agent'],
  [{ type: 'SingleNamespace', roleRef: { kind: 'Role', name: 'agent' }, singleNamespace: { namespace: 'n' } }, 'n', 'agent'],
])('the page of an add-on shows the role that %j grants', (permission, scope, role) => {
  const state = new ConsoleState();
  const object = (metadata: object, spec: object): KubeObject => ({ apiVersion: 'v1', kind: 'Any', metadata, spec }) as KubeObject;
  state.setDeclaration(object({ name: 'hello' }, {}), 'hello');
  const registration = [{ type: 'KubeClient', kubeClient: { hubPermissions: [permission] } }];
  state.setTemplate(object({ name: 'hello-1' }, { addonName: 'hello', registration }), 'hello-1');
  expect(addOnPage(state, SEES_ALL, 'hello', { configs: [] })?.rights).toEqual([
    { template: 'hello-1', scope, role, signer: 'kubernetes.io/kube-apiserver-client' },
  ]);
});
