import { DEFAULT_CERTIFICATE_SECONDS } from '@outrigger/api';
import { type Controller, defineController, watch } from '@outrigger/kube';
import { addOns } from '../../resources/add-ons.js';
import { clusterNamespaces } from '../../resources/cluster-rights.js';
import { clusters } from '../../resources/clusters.js';
import { storedContents } from '../../resources/stored-contents.js';
import { declarations } from '../../resources/declarations.js';
import { decisions, placements } from '../../resources/placements.js';
import { rollouts } from '../../resources/rollouts.js';
import { templates } from '../../resources/templates.js';
import type { RequestProblems } from '../../registration/request-problems.js';
import { RequestBudget, type RequestRate } from './budget.js';
import type { BootstrapPolicy } from './cluster-rules.js';
import { type ExaminedRequest, read } from './parsed-requests.js';
import { type RegistrationEffects, decide } from './decide.js';
import { IssuedCertificates } from './issued.js';
import { observe } from './observe.js';
import { requests } from './request.js';
import { review } from './review.js';
import { sign } from './sign.js';
import type { PastRequest, RegistrationState } from './state.js';
import { wakeByAddOn, wakeByCluster, wakeByDeclaration, wakeByNamespace, wakeByRequest, wakeByRollout, wakeByTemplate } from './wake.js';

export interface RegistrationControllerOptions {
  /** The namespace of signing authorities for templates that name no namespace. */
  readonly managerNamespace: string;
  /** The users and groups that may join without a review by a person. If undefined, another manager handles the requests of clusters. */
  readonly bootstrap?: BootstrapPolicy;
  readonly rate?: RequestRate;
  /** Maximum lifetime of certificates from a template's own signer. The default is a day. */
  readonly maxCertificateSeconds?: number;
  readonly problems: RequestProblems;
}

/** Keyed by CertificateSigningRequest: approves or denies the requests of clusters and add-ons, and signs requests for custom signers. */
export function registrationController(
  options: RegistrationControllerOptions,
): Controller<RegistrationState | PastRequest, ExaminedRequest, RegistrationEffects> {
  const issued = new IssuedCertificates();
  const budget = new RequestBudget(options.rate);
  const { bootstrap, managerNamespace, problems, maxCertificateSeconds = DEFAULT_CERTIFICATE_SECONDS } = options;
  const context = { issued, budget, bootstrap, managerNamespace, maxCertificateSeconds, problems };
  return defineController<RegistrationState | PastRequest, ExaminedRequest, RegistrationEffects>({
    name: 'registration',
    awaitsGrants: true,
    watches: [
      watch(requests, wakeByRequest),
      watch(addOns, wakeByAddOn),
      watch(clusters, wakeByCluster),
      ...(bootstrap ? [watch(clusterNamespaces, wakeByNamespace)] : []),
      watch(declarations, wakeByDeclaration),
      watch(rollouts, wakeByRollout),
      watch(templates, wakeByTemplate),
    ],
    reads: [storedContents, placements, decisions],
    observe: (view, key, memory) => observe(view, key, memory, context),
    decide,
    effects: {
      async examine({ request, requester }, { runtime, remember }) {
        budget.take(requester, runtime.clock.monotonic());
        const parsed = await read(runtime.keys, request);
        remember(() => ({ request, parsed }));
      },
      'read-issued': (certificate, { runtime }) => issued.read(runtime.keys, certificate),
      review,
      sign,
      report: async ({ request, addOn, message }) => problems.report(request, addOn, message),
      forget: async (request) => problems.forget(request),
    },
  });
}
