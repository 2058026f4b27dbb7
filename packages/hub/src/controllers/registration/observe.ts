import type { ObjectKey } from '@outrigger/core';
import type { CacheView, Outcomes } from '@outrigger/kube';
import { addOns } from '../../resources/add-ons.js';
import { clusters } from '../../resources/clusters.js';
import { declarations } from '../../resources/declarations.js';
import type { RequestProblems } from '../../registration/request-problems.js';
import type { RequestBudget } from './budget.js';
import type { BootstrapPolicy } from './cluster-rules.js';
import type { ExaminedRequests } from './contents.js';
import { type RequestRecord, requests } from './request.js';
import type { Asker, PastRequest, RegistrationState } from './state.js';
import { catalogOf, templateInEffect } from './template-in-effect.js';

export interface ObserveContext {
  readonly examined: ExaminedRequests;
  readonly budget: RequestBudget;
  readonly bootstrap: BootstrapPolicy | undefined;
  readonly managerNamespace: string;
  readonly maxCertificateSeconds: number;
  readonly problems: RequestProblems;
}

export function observe(
  view: CacheView,
  key: ObjectKey,
  outcomes: Outcomes,
  context: ObserveContext,
): RegistrationState | PastRequest | undefined {
  const told = context.problems.get(key.name);
  const request = view.get(requests, key);
  if (!request || request.step === 'done') return told === undefined ? undefined : { request: undefined, name: key.name };
  return {
    request,
    contents: context.examined.get(request.request),
    asker: request.addOnName === '' ? clusterAsker(view, request, context) : addOnAsker(view, request),
    waitMs: (monotonic) => context.budget.waitMs(request.user, monotonic),
    managerNamespace: context.managerNamespace,
    maxCertificateSeconds: context.maxCertificateSeconds,
    outcomes,
    told,
  };
}

function clusterAsker(view: CacheView, { clusterName }: RequestRecord, { bootstrap }: ObserveContext): Asker {
  const cluster = view.get(clusters, { name: clusterName });
  return { type: 'cluster', cluster, facts: { bootstrap, cluster } };
}

function addOnAsker(view: CacheView, { clusterName, addOnName }: RequestRecord): Asker {
  const cluster = view.get(clusters, { name: clusterName });
  const addOn = view.get(addOns, { namespace: clusterName, name: addOnName });
  const declaration = view.get(declarations, { name: addOnName });
  const isOurs = declaration !== undefined && !declaration.isSelfManaged && catalogOf(view, declaration, addOn).isFromTemplates;
  const template = isOurs && declaration && addOn ? templateInEffect(view, declaration, addOn) : undefined;
  return { type: 'add-on', cluster, addOn, facts: { isOurs, cluster, addOn, template } };
}
