import type { Outcomes } from '@outrigger/kube';
import type { AddOnRecord, ClusterRecord } from '@outrigger/rules/observed';
import type { IssuedCertificate } from '../../registration/agent-identity.js';
import type { NamespaceRecord } from '../../resources/cluster-rights.js';
import type { AddOnRequestFacts } from './add-on-rules.js';
import type { ClusterRequestFacts } from './cluster-rules.js';
import type { ParsedRequest } from './parsed-requests.js';
import type { RequestRecord } from './request.js';

/** All inputs of one pass over a CertificateSigningRequest. */
export interface RegistrationState {
  readonly request: RequestRecord;
  /** The cluster's Namespace, with the record of its agent; also undefined if another manager handles clusters. */
  readonly namespace: NamespaceRecord | undefined;
  /** In the step `issued`: the certificate; undefined until an effect has read it. */
  readonly issued: IssuedCertificate | undefined;
  /** Whether an effect has read the certificate; for text that is not a certificate, `issued` stays undefined. */
  readonly isIssuedRead: boolean;
  /** Undefined until an effect has read the request. */
  readonly contents: ParsedRequest | undefined;
  readonly asker: Asker;
  /** Milliseconds until the requester's next request may be examined, given the time of the pass. */
  readonly waitMs: (monotonic: number) => number;
  /** The namespace of a template's signing authority, unless the template names another namespace. */
  readonly managerNamespace: string;
  readonly maxCertificateSeconds: number;
  readonly outcomes: Outcomes;
  /** The problem with this request that the add-on reports; undefined if there is none. */
  readonly reportedProblem: string | undefined;
}

/** A request that is deleted or finished while its add-on still reports a problem with it. */
export interface PastRequest {
  readonly request: undefined;
  readonly name: string;
}

/** The subject of the certificate: an add-on on a cluster, or the cluster's agent itself. */
export type Asker =
  | {
      readonly type: 'add-on';
      readonly facts: AddOnRequestFacts;
      readonly cluster: ClusterRecord | undefined;
      readonly clusterAddOn: AddOnRecord | undefined;
    }
  | { readonly type: 'cluster'; readonly facts: ClusterRequestFacts; readonly cluster: ClusterRecord | undefined };
