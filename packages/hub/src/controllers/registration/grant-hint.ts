import { SIGNERS_ROLE, aggregationLabel } from '@outrigger/api';
import type { Refusal } from '@outrigger/kube';
import { registrationFor } from './add-on-rules.js';
import type { RegistrationState } from './state.js';

/** The command by which an administrator grants what was refused, or undefined where no right is missing. */
export function grantHint({ request, asker, managerNamespace }: RegistrationState, refusal: Refusal): string | undefined {
  if (refusal.reason !== 'Forbidden') return undefined;
  const role = `outrigger-signer-${request.signerName.replaceAll(/[^a-z0-9.-]/g, '-')}`;
  if (!refusal.message.includes('secrets')) {
    const create = `kubectl create clusterrole ${role} --verb=approve,sign --resource=signers.certificates.k8s.io --resource-name=${request.signerName}`;
    return `${create} && kubectl label clusterrole ${role} ${aggregationLabel(SIGNERS_ROLE)}=true`;
  }
  const template = asker.type === 'add-on' ? asker.facts.template : undefined;
  const authority = registrationFor(request.signerName, template)?.customSigner?.signingCA;
  if (!authority) return undefined;
  const { name, namespace = managerNamespace } = authority;
  return `kubectl create role ${role} -n ${namespace} --verb=get --resource=secrets --resource-name=${name}, and bind it to the manager's ServiceAccount`;
}
