import { shell } from '@outrigger/core';
import { SIGNERS_ROLE, aggregationLabel } from '@outrigger/api';
import type { Refusal } from '@outrigger/kube';
import { registrationFor } from '@outrigger/rules/registration';
import type { RegistrationState } from './state.js';

/** The command with which an administrator grants the missing permission; undefined if no permission is missing. */
export function grantHint({ request, asker, managerNamespace }: RegistrationState, refusal: Refusal): string | undefined {
  if (refusal.reason !== 'Forbidden') return undefined;
  const role = `outrigger-signer-${request.signerName.replaceAll(/[^a-z0-9.-]/g, '-')}`;
  if (!refusal.message.includes('secrets')) return grantSigner(role, request.signerName);
  const template = asker.type === 'add-on' ? asker.facts.template : undefined;
  const authority = registrationFor(request.signerName, template)?.customSigner?.signingCA;
  if (!authority) return undefined;
  const { name, namespace = managerNamespace } = authority;
  const account = `${managerNamespace}:outrigger-hub`;
  return [
    shell`kubectl create role ${role} --namespace=${namespace} --verb=get --resource=secrets --resource-name=${name}`,
    shell`kubectl create rolebinding ${role} --namespace=${namespace} --role=${role} --serviceaccount=${account}`,
  ].join(' && ');
}

/** The hint is a manifest. `kubectl create clusterrole` rejects the verbs for signers, because no API serves the resource `signers`. */
function grantSigner(role: string, signerName: string): string {
  const manifest = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: role, labels: { [aggregationLabel(SIGNERS_ROLE)]: 'true' } },
    rules: [{ apiGroups: ['certificates.k8s.io'], resources: ['signers'], resourceNames: [signerName], verbs: ['approve', 'sign'] }],
  };
  return shell`printf %s ${JSON.stringify(manifest)} | kubectl apply -f -`;
}
