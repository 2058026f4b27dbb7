import type { Outcomes } from '@outrigger/kube';
import type { AddOnProjection, ClusterProjection } from '@outrigger/rules/observed';
import type { IssuedCertificate } from '../../registration/agent-identity.js';
import type { NamespaceProjection } from '../../resources/cluster-rights.js';
import type { AddOnRequestFacts } from './add-on-rules.js';
import type { ClusterRequestFacts } from './cluster-rules.js';
import type { ParsedRequest } from './parsed-requests.js';
import type { RequestProjection } from './request.js';

/** All inputs of one pass over a CertificateSigningRequest. */
export interface RegistrationState {
  readonly request: RequestProjection;
  /**
   * The cluster's Namespace, which stores the identity record of its agent. Undefined if it does not exist, or if another manager handles
   * clusters.
   */
  readonly namespace: NamespaceProjection | undefined;
  /** The issued certificate; undefined until an effect has read it. */
  readonly issued: IssuedCertificate | undefined;
  /** Whether an effect has read the certificate. If the text is not a certificate, `issued` stays undefined even then. */
  readonly isIssuedRead: boolean;
  /** The parsed content of the request; undefined until an effect has parsed it. */
  readonly parsed: ParsedRequest | undefined;
  readonly asker: Asker;
  /** Milliseconds until the requester's next request may be examined; `monotonic` is the time of the pass. */
  readonly waitMs: (monotonic: number) => number;
  /** The namespace of signing authorities for templates that name no namespace. */
  readonly managerNamespace: string;
  readonly maxCertificateSeconds: number;
  readonly outcomes: Outcomes;
  /** The problem with this request that the add-on currently reports, if any. */
  readonly reportedProblem: string | undefined;
}

/** A request that was deleted or finished while its add-on still reports a problem with it. */
export interface PastRequest {
  readonly request: undefined;
  readonly name: string;
}

/** The subject of the certificate: an add-on on a cluster, or the cluster's own agent. */
export type Asker =
  | {
      readonly type: 'add-on';
      readonly facts: AddOnRequestFacts;
      readonly cluster: ClusterProjection | undefined;
      readonly clusterAddOn: AddOnProjection | undefined;
    }
  | { readonly type: 'cluster'; readonly facts: ClusterRequestFacts; readonly cluster: ClusterProjection | undefined };
