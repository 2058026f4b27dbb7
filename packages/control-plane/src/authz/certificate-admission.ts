import { deepEqual, errorMessage, type KubeObject } from '@outrigger/core';
import { fieldError, invalidError } from '@outrigger/core/schema';
import type { ServerAdmission, AdmissionAttributes, Authorizer } from '../handle/contract.js';
import { forbiddenResource } from './forbidden.js';

export const CERTIFICATES_GROUP = 'certificates.k8s.io';
export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

interface SigningRequest extends KubeObject {
  readonly spec?: { readonly signerName?: string; readonly request?: string };
  readonly status?: { readonly certificate?: string; readonly conditions?: readonly unknown[] };
}

/**
 * Reads the organizations (groups) that a certificate request (PEM in base64) contains. Rejects if the request cannot be parsed, or if its
 * signature is not by the key that it contains.
 */
export type ReadOrganizations = (request: string) => Promise<readonly string[]>;

/**
 * Returns the rules for approving and issuing certificates. Writing `approval` needs the verb `approve` on the request's signer; writing
 * the certificate or conditions of `status` needs `sign`. A request must be well-formed and signed by its own key. No client certificate may
 * contain the group `system:masters`.
 */
export function certificateChecks(authorize: Authorizer, readOrganizations: ReadOrganizations): ServerAdmission {
  const mayUseSigner = async (request: AdmissionAttributes, verb: string, signerName: string): Promise<boolean> => {
    const base = { identity: request.identity, verb, group: CERTIFICATES_GROUP, version: '*', resource: 'signers', subresource: '' };
    // A permission on `<domain>/*` covers every signer of that domain.
    const names = [signerName, `${signerName.split('/')[0]}/*`];
    for (const name of names) if ((await authorize({ ...base, namespace: '', name })).allowed) return true;
    return false;
  };

  const demand = async (request: AdmissionAttributes, verb: string): Promise<void> => {
    // Use the signer of the stored object, because otherwise a writer could set another signer together with the approval.
    const stored: SigningRequest | undefined = request.oldObject;
    const signerName = stored?.spec?.signerName ?? '';
    if (await mayUseSigner(request, verb, signerName)) return;
    throw refused(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`);
  };

  const checkSubject = async (csr: SigningRequest, request: AdmissionAttributes): Promise<void> => {
    const text = csr.spec?.request ?? '';
    let organizations: readonly string[];
    try {
      organizations = await readOrganizations(text);
    } catch (error) {
      const errors = [fieldError.invalid('spec.request', text, errorMessage(error))];
      throw invalidError({ group: CERTIFICATES_GROUP, kind: csr.kind ?? '' }, csr.metadata.name ?? '', errors);
    }
    if (csr.spec?.signerName === CLIENT_SIGNER && organizations.includes('system:masters')) {
      throw refused(request, `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`);
    }
  };

  return {
    validate: async (request) => {
      const { object, oldObject, operation, subResource } = request;
      if (request.group !== CERTIFICATES_GROUP || request.resource !== 'certificatesigningrequests' || !object) return {};
      if (operation === 'CREATE' && subResource === '') await checkSubject(object, request);
      if (operation === 'UPDATE' && subResource === 'approval') await demand(request, 'approve');
      if (operation === 'UPDATE' && subResource === 'status' && issuanceDiffers(object, oldObject)) await demand(request, 'sign');
      return {};
    },
  };
}

function issuanceDiffers(object: SigningRequest, old: SigningRequest | undefined): boolean {
  const part = ({ status }: SigningRequest): unknown => [status?.certificate ?? '', status?.conditions ?? []];
  return !old || !deepEqual(part(object), part(old));
}

function refused(request: AdmissionAttributes, why: string): Error {
  const name = request.object?.metadata.name ?? request.name;
  return forbiddenResource({ group: request.group, resource: request.resource, name }, why);
}
