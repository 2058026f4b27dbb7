import type { CredentialSpec } from './machine.js';

/** The credential of the add-on hello for the signer of kube-apiserver's clients. */
export const spec: CredentialSpec = {
  id: 'hello/kube',
  secret: { namespace: 'ns', name: 'hello-hub-kubeconfig' },
  labels: {},
  signerName: 'kube',
  user: 'user',
  groups: ['g1', 'g2'],
  units: [],
  dnsNames: [],
  expirationSeconds: undefined,
  requestPrefix: 'addon-c1-hello-',
  requestLabels: {},
  extraData: { 'cluster-name': 'c1' },
};
