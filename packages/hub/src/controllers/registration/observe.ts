import type { ObjectKey } from '@outrigger/core';
import type { CacheView, KeyMemory } from '@outrigger/kube';
import {
  type AgentIdentity,
  type CredentialStanding,
  type IssuedCertificate,
  credentialStanding,
  readIdentity,
  withIssued,
} from '../../registration/agent-identity.js';
import { addOns } from '../../resources/add-ons.js';
import { type NamespaceProjection, clusterNamespaces } from '../../resources/cluster-rights.js';
import { clusters } from '../../resources/clusters.js';
import { declarations } from '../../resources/declarations.js';
import type { RequestProblems } from '../../registration/request-problems.js';
import type { RequestBudget } from './budget.js';
import type { BootstrapPolicy } from './cluster-rules.js';
import type { ExaminedRequest } from './parsed-requests.js';
import { budgetOf, parseClusterAgent } from './identity.js';
import type { IssuedCertificates } from './issued.js';
import { type RequestProjection, requests } from './request.js';
import type { Asker, PastRequest, RegistrationState } from './state.js';
import { catalogOf, templateInEffect } from './template-in-effect.js';

export interface ObserveContext {
  readonly issued: IssuedCertificates;
  readonly budget: RequestBudget;
  readonly bootstrap: BootstrapPolicy | undefined;
  readonly managerNamespace: string;
  readonly maxCertificateSeconds: number;
  readonly problems: RequestProblems;
}

export function observe(
  view: CacheView,
  key: ObjectKey,
  memory: KeyMemory<ExaminedRequest>,
  context: ObserveContext,
): RegistrationState | PastRequest | undefined {
  const reportedProblem = context.problems.get(key.name);
  const request = view.get(requests, key);
  const isPast = !request || request.step === 'done' || request.step === 'approved' || (request.step === 'issued' && !context.bootstrap);
  if (isPast) return reportedProblem === undefined ? undefined : { request: undefined, name: key.name };
  const namespace = context.bootstrap && view.get(clusterNamespaces, { name: request.clusterName });
  const holder = holderOf(view, request, namespace, context);
  return {
    request,
    namespace,
    issued: request.step === 'issued' ? issuedOf(request, context) : undefined,
    isIssuedRead: request.step === 'issued' && context.issued.isRead(request.certificate),
    parsed: memory.remembered?.request === request.request ? memory.remembered.parsed : undefined,
    asker: request.addOnName === '' ? clusterAsker(view, request, holder, context) : addOnAsker(view, request, holder),
    waitMs: (monotonic) => context.budget.waitMs(budgetOf(request), monotonic),
    managerNamespace: context.managerNamespace,
    maxCertificateSeconds: context.maxCertificateSeconds,
    outcomes: memory,
    reportedProblem,
  };
}

interface Holder {
  readonly identity: AgentIdentity | undefined;
  readonly credential: CredentialStanding;
  readonly hasNamespace: boolean;
}

/** The agent that holds the cluster's name, and whether the requester is that agent. */
function holderOf(
  view: CacheView,
  request: RequestProjection,
  namespace: NamespaceProjection | undefined,
  context: ObserveContext,
): Holder {
  const identity = readIdentity(namespace?.identity);
  const isRecording = (): boolean =>
    view.byIndex(requests, 'issued', request.clusterName).some((other) => other.addOnName === '' && isUnrecorded(other, identity, context));
  const credential = credentialStanding(identity, request.credential, isRecording);
  return { identity, credential, hasNamespace: namespace !== undefined && !namespace.isDeleting };
}

function isUnrecorded(request: RequestProjection, identity: AgentIdentity | undefined, context: ObserveContext): boolean {
  if (request.step === 'approved' || !context.issued.isRead(request.certificate)) return true;
  const issued = issuedOf(request, context);
  return issued !== undefined && withIssued(identity, issued).credentials !== identity?.credentials;
}

function issuedOf(request: RequestProjection, context: ObserveContext): IssuedCertificate | undefined {
  const read = context.issued.get(request.certificate);
  return (
    read && {
      ...read,
      holder: request.addOnName === '' ? 'cluster' : 'add-on',
      isRenewal: parseClusterAgent(request.user) !== undefined,
      requesterCredential: request.credential,
      requestedAt: request.createdAt,
    }
  );
}

function clusterAsker(view: CacheView, { clusterName }: RequestProjection, holder: Holder, { bootstrap }: ObserveContext): Asker {
  const cluster = view.get(clusters, { name: clusterName });
  return { type: 'cluster', cluster, facts: { bootstrap, cluster, ...holder } };
}

function addOnAsker(view: CacheView, { clusterName, addOnName }: RequestProjection, { credential }: Holder): Asker {
  const cluster = view.get(clusters, { name: clusterName });
  const clusterAddOn = view.get(addOns, { namespace: clusterName, name: addOnName });
  const managementAddOn = view.get(declarations, { name: addOnName });
  const isOurs = managementAddOn !== undefined && !managementAddOn.isSelfManaged && catalogOf(view, managementAddOn).isFromTemplates;
  const template = isOurs && managementAddOn && clusterAddOn ? templateInEffect(view, managementAddOn, clusterAddOn) : undefined;
  return { type: 'add-on', cluster, clusterAddOn, facts: { isOurs, cluster, clusterAddOn, template, credential } };
}
