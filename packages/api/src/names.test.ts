import { describe, expect, it } from 'vitest';
import * as names from './names.js';

describe('names', () => {
  it.each([
    [
      'the subject of an agent',
      names.defaultSubject('c1', 'hello').user,
      'system:open-cluster-management:cluster:c1:addon:hello:agent:hello-agent',
    ],
    ['its group on the cluster', names.defaultSubject('c1', 'hello').groups[0], 'system:open-cluster-management:cluster:c1:addon:hello'],
    ['its group everywhere', names.defaultSubject('c1', 'hello').groups[1], 'system:open-cluster-management:addon:hello'],
    ['the agent of a cluster', names.clusterAgentUser('c1', 'x7'), 'system:open-cluster-management:c1:x7'],
    ['the secret with the kubeconfig', names.hubKubeconfigSecretName('hello'), 'hello-hub-kubeconfig'],
    ['the secret of a signer', names.clientCertSecretName('hello', 'example.com/signer'), 'hello-example.com-signer-client-cert'],
    ['the volume of a signer', names.signerVolumeName('example.com/signer'), 'cert-example-com-signer'],
    ['the mount of a signer', names.signerMountPath('example.com/signer'), '/managed/example.com-signer'],
    ['a work', names.deployWorkName('hello', 0), 'addon-hello-deploy-0'],
    ['a hook', names.preDeleteWorkName('hello'), 'addon-hello-pre-delete'],
    ['a namespaced configuration', names.configKey({ group: 'g.io', resource: 'things', namespace: 'ns', name: 'n' }), 'things.g.io/ns/n'],
    ['a cluster-scoped one', names.configKey({ group: 'g.io', resource: 'things', name: 'n' }), 'things.g.io//n'],
    ['one of the core group', names.configKey({ group: '', resource: 'configmaps', namespace: 'ns', name: 'n' }), 'configmaps/ns/n'],
    ['a decision', names.placementDecisionName('p', 1), 'p-decision-1'],
  ])('%s', (_, name, want) => {
    expect(name).toBe(want);
  });

  it('distinguishes hubs by every character of their address', () => {
    expect(names.appliedManifestWorkName('https://hub/', 'w')).toMatch(/^[0-9a-f]{64}-w$/);
    expect(names.hubHash('https://hub/')).not.toBe(names.hubHash('https://hub'));
  });

  it.each([
    { name: 'no annotation', annotations: undefined, want: true },
    { name: 'the manager', annotations: { 'addon.open-cluster-management.io/lifecycle': 'addon-manager' }, want: true },
    { name: 'the add-on itself', annotations: { 'addon.open-cluster-management.io/lifecycle': 'self' }, want: false },
    { name: 'an empty value', annotations: { 'addon.open-cluster-management.io/lifecycle': '' }, want: false },
  ])('who looks after an add-on: $name', ({ annotations, want }) => {
    expect(names.isManagedByAddOnManager(annotations ? { annotations } : {})).toBe(want);
  });
});
