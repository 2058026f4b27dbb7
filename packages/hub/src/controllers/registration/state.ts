import type { Outcomes } from '@outrigger/kube';
import type { AddOnRecord } from '../../resources/add-ons.js';
import type { IssuedCertificate } from '../../registration/agent-identity.js';
import type { NamespaceRecord } from '../../resources/cluster-rights.js';
import type { ClusterRecord } from '../../resources/clusters.js';
import type { AddOnRequestFacts } from './add-on-rules.js';
import type { ClusterRequestFacts } from './cluster-rules.js';
import type { RequestContents } from './contents.js';
import type { RequestRecord } from './request.js';

/** Everything one pass over a CertificateSigningRequest may look at. */
export interface RegistrationState {
  readonly request: RequestRecord;
  /** The cluster's Namespace, with the record of its agent; undefined also where another manager looks after clusters. */
  readonly namespace: NamespaceRecord | undefined;
  /** In the step `issued`: the certificate; undefined until an effect has read it. */
  readonly issued: IssuedCertificate | undefined;
  /** Whether an effect has read it; text that is no certificate gives no `issued`. */
  readonly isIssuedRead: boolean;
  /** Undefined until an effect has read the request. */
  readonly contents: RequestContents | undefined;
  readonly asker: Asker;
  /** Milliseconds until the requester's next request is looked at, as a function of the pass's own instant. */
  readonly waitMs: (monotonic: number) => number;
  /** Where a template's signing authority is looked for unless it says otherwise. */
  readonly managerNamespace: string;
  readonly maxCertificateSeconds: number;
  readonly outcomes: Outcomes;
  /** What the add-on was told of this request's troubles; undefined where nothing. */
  readonly told: string | undefined;
}

/** A request that is gone or done while its add-on still tells of its troubles. */
export interface PastRequest {
  readonly request: undefined;
  readonly name: string;
}

/** For whom the certificate is: an add-on on a cluster, or the cluster's agent itself. */
export type Asker =
  | {
      readonly type: 'add-on';
      readonly facts: AddOnRequestFacts;
      readonly cluster: ClusterRecord | undefined;
      readonly addOn: AddOnRecord | undefined;
    }
  | { readonly type: 'cluster'; readonly facts: ClusterRequestFacts; readonly cluster: ClusterRecord | undefined };
