import {
  APPROVED_MESSAGE,
  type AddOnTemplateSpec,
  KUBE_CLIENT_SIGNER,
  type TemplateRegistration,
  addOnDnsName,
  defaultSubject,
} from '@outrigger/api';
import type { CredentialStanding } from '../../registration/agent-identity.js';
import { registrationFor, registrationsOf } from '@outrigger/rules/registration';
import type { ClusterProjection } from '@outrigger/rules/observed';
import type { ParsedRequest } from './parsed-requests.js';
import { RECORDING, foreignCredential, madeForEarlierCluster, notAgentOf } from './identity.js';
import type { RequestProjection } from './request.js';
import { type ExpectedSubject, extensionProblem, subjectProblem, usageProblem } from './request-checks.js';
import { IGNORE, type Verdict, deny, wait } from './verdict.js';

/** The facts from which the rules decide on an add-on's request, in addition to the request itself. */
export interface AddOnRequestFacts {
  /** Whether the requester's certificate belongs to the cluster that has this name now. */
  readonly credential: CredentialStanding;
  /** Whether the add-on is declared and this manager renders it from templates. If not, another manager decides on its requests. */
  readonly isOurs: boolean;
  readonly cluster: Pick<ClusterProjection, 'createdAt' | 'isAccepted' | 'isDeleting'> | undefined;
  readonly clusterAddOn: { readonly isDeleting: boolean } | undefined;
  /** The template that is in effect on the cluster. */
  readonly template: Pick<AddOnTemplateSpec, 'registration'> | undefined;
}

/**
 * Decides whether the agent of a cluster gets a certificate for an add-on. Compares the request with the registration that the hub computes
 * from the template, never with a status, because agents write statuses.
 */
export function judgeAddOnRequest(request: RequestProjection, parsed: ParsedRequest, facts: AddOnRequestFacts): Verdict {
  if (!facts.isOurs) return IGNORE;
  const wrong =
    wrongForGood(request, parsed) ??
    (facts.credential === 'foreign' ? foreignCredential(request.clusterName) : madeForEarlierCluster(request, facts.cluster));
  if (wrong !== undefined) return deny(wrong);
  if (facts.credential === 'pending') return wait(RECORDING);
  const missing = missingYet(request, facts);
  if (missing !== undefined) return wait(missing);
  const registration = registrationFor(request.signerName, facts.template);
  if (!registration) return wait(`the template in effect has no registration with the signer ${request.signerName}`);
  const problem = parsed.type === 'readable' && subjectProblem(parsed.csr, expectedSubject(request, registration));
  return problem ? deny(problem) : { type: 'approve', message: APPROVED_MESSAGE };
}

/** A problem with the request that no change of other objects can resolve. */
function wrongForGood(request: RequestProjection, parsed: ParsedRequest): string | undefined {
  const { clusterName, addOnName, signerName } = request;
  if (parsed.type === 'unreadable') return parsed.problem;
  return (
    notAgentOf(clusterName, request) ??
    usageProblem(request.usages) ??
    extensionProblem(parsed.csr, addOnDnsName(addOnName)) ??
    // Certificates for the hub's own API always have the default subject, whatever the template says.
    (signerName === KUBE_CLIENT_SIGNER ? subjectProblem(parsed.csr, kubeClientSubject(clusterName, addOnName)) : undefined)
  );
}

function missingYet(
  { clusterName, addOnName }: RequestProjection,
  { cluster, clusterAddOn, template }: AddOnRequestFacts,
): string | undefined {
  if (!cluster) return `ManagedCluster ${clusterName} does not exist`;
  if (cluster.isDeleting) return `ManagedCluster ${clusterName} is being deleted`;
  if (!cluster.isAccepted) return `ManagedCluster ${clusterName} is not accepted`;
  if (!clusterAddOn) return `ManagedClusterAddOn ${clusterName}/${addOnName} does not exist`;
  if (clusterAddOn.isDeleting) return `ManagedClusterAddOn ${clusterName}/${addOnName} is being deleted`;
  return template ? undefined : `no template is in effect for ${clusterName}/${addOnName}`;
}

/** Computes the expected subject from the template, as the hub does for the status. The status itself is output only, so it is not read. */
function expectedSubject({ clusterName, addOnName, signerName }: RequestProjection, registration: TemplateRegistration): ExpectedSubject {
  const [published] = registrationsOf([registration], { cluster: clusterName, addOn: addOnName, driver: 'csr' });
  const subject = published?.signerName === signerName ? published.subject : undefined;
  return { user: subject?.user ?? '', groups: subject?.groups ?? [], units: subject?.organizationUnit ?? [] };
}

function kubeClientSubject(cluster: string, addOn: string): ExpectedSubject {
  return { ...defaultSubject(cluster, addOn), units: [] };
}
