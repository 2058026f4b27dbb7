import { type ClusterCondition, managedClusters } from '@outrigger/api';
import { earliest, setCondition } from '@outrigger/core';
import {
  type ApiAction,
  type Controller,
  type Decision,
  type EffectAction,
  type Now,
  type Outcomes,
  type Resource,
  defineController,
  watch,
} from '@outrigger/kube';
import { patchObservedStatus } from '../observed-actions.js';
import { type CredentialEffects, stepDecision, stepProblem } from '../credentials/actions.js';
import { type ExaminedCertificates, factsOf } from '../credentials/certificates.js';
import { credentialEffects } from '../credentials/effects.js';
import type { HubEndpoint } from '../credentials/hub-kubeconfig.js';
import { type CredentialState, type CredentialStep, nextStep, rotatedMessage } from '../credentials/machine.js';
import { type PendingKeyProjection, ownCredential } from '../credentials/secrets.js';
import { HUB } from '../resources/apis.js';
import type { OwnClusterProjection } from '../resources/own-cluster.js';
import { type Announcement, announce } from './announce.js';
import type { OwnRequests } from './own-requests.js';
import { type OwnIdentity, ownSecretKey, ownSpec } from './own-spec.js';

/** Connects the controller with the part of the agent that uses the certificate for its connection to the hub. */
export interface CertificateUse {
  /** The fingerprint of the certificate that the agent uses; empty while it uses none. */
  readonly current: () => string;
  /**
   * Called when the agent's Secret contains a valid certificate that the agent does not use. A pass that observes the Secret calls it, and not
   * the write that stored the certificate, because the response to that write may be lost.
   */
  readonly renewed: () => void;
}

export interface JoinControllerOptions {
  readonly identity: OwnIdentity;
  readonly endpoint: HubEndpoint;
  readonly requests: OwnRequests;
  readonly pendingKeys: Resource<PendingKeyProjection, 'credential'>;
  readonly use: CertificateUse;
  /** The ManagedCluster to create, and the identity of the bootstrap credential, while joining with it; undefined after joining. */
  readonly joining?: { readonly announcement: Announcement; readonly joiner: string };
  /** The fingerprint of a certificate that the hub rejects. */
  readonly refused?: string;
  /**
   * The ManagedCluster, in which a joined agent reports the state of its certificate. It is undefined while joining, because the agent may
   * not read it yet.
   */
  readonly ownCluster?: Resource<OwnClusterProjection>;
}

export interface JoinState {
  readonly credential: CredentialState;
  /** The fingerprint of the certificate that the agent uses; empty while it uses none. */
  readonly inUse: string;
  /** Whether the state of the pending request is known. */
  readonly isFollowed: boolean;
  /** The monotonic time at which the agent last announced the cluster. */
  readonly announcedAt: number | undefined;
  readonly announcement: Announcement | undefined;
  readonly cluster: OwnClusterProjection | undefined;
  readonly outcomes: Outcomes;
}

export type JoinEffects = CredentialEffects & {
  /** Creates the ManagedCluster on the hub. */
  readonly announce: Announcement;
  /** Lets the agent use the certificate in its Secret, which has this fingerprint. */
  readonly use: string;
  /** Follows the certificate request with this name: reads it now and after every change. */
  readonly follow: string;
};

type JoinDecision = Decision<ExaminedCertificates, JoinEffects>;

const ANNOUNCE = 'announce';

/** The interval at which an agent that has not been accepted yet checks that its ManagedCluster still exists on the hub. */
const ANNOUNCE_EVERY_MS = 60_000;

/** Requests the agent's first certificate for the hub and renews it. The controller's only key is the agent's ManagedCluster. */
export function joinController(options: JoinControllerOptions): Controller<JoinState, ExaminedCertificates, JoinEffects> {
  const { identity, requests, pendingKeys, ownCluster } = options;
  const own = ownCredential(ownSecretKey(identity));
  const spec = ownSpec(identity, options.endpoint, options.joining?.joiner);
  const key = [{ name: identity.clusterName }];
  return defineController<JoinState, ExaminedCertificates, JoinEffects>({
    name: 'join',
    watches: [
      watch(own, () => key),
      watch(pendingKeys, ({ before, after }) => ((after ?? before)?.credentialId === spec.id ? key : [])),
      ...requests.watches,
      ...(ownCluster ? [watch(ownCluster, () => key)] : []),
    ],
    sources: requests.sources,
    observe(view, _key, memory) {
      const stored = view.get(own, ownSecretKey(identity));
      const [pending] = view.byIndex(pendingKeys, 'credential', spec.id);
      const credential: CredentialState = {
        spec,
        stored,
        certificate: factsOf(stored?.certificate, memory.remembered),
        pending,
        requests: requests.list(view),
        ...(options.refused === undefined ? {} : { refused: options.refused }),
      };
      const cluster = ownCluster && view.get(ownCluster, { name: identity.clusterName });
      const isFollowed = !pending || requests.isFollowing(pending.requestName);
      const announcedAt = memory.acceptedAt(ANNOUNCE);
      return {
        credential,
        inUse: options.use.current(),
        isFollowed,
        announcedAt,
        announcement: options.joining?.announcement,
        cluster,
        outcomes: memory,
      };
    },
    decide,
    effects: {
      ...credentialEffects({ namespace: identity.namespace }),
      use: async () => options.use.renewed(),
      follow: (request) => requests.follow(request),
      announce,
    },
    timedActions: [ANNOUNCE],
  });
}

export function decide(state: JoinState, now: Now): JoinDecision {
  const { credential, announcement, announcedAt = Number.NEGATIVE_INFINITY } = state;
  // The `follow` effect wakes this key as soon as the state of the request is known.
  if (credential.pending && !state.isFollowed) return follow(credential.pending.requestName);
  const step = nextStep(credential, now);
  const decision = stepDecision(credential.spec, step);
  const announceInMs = announcement && Math.max(0, announcedAt + ANNOUNCE_EVERY_MS - now.monotonic);
  const announcing = announceInMs === 0 && announcement ? [announceNow(announcement)] : [];
  const requeueAfterMs = earliest(decision.requeueAfterMs, announceInMs === 0 ? ANNOUNCE_EVERY_MS : announceInMs);
  const actions = [...announcing, ...decision.stages.flat(), ...usingOf(state, step), ...reportOf(state, step, now)];
  return {
    stages: actions.length > 0 ? [actions] : [],
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
  };
}

function announceNow(input: Announcement): EffectAction<JoinEffects> {
  return { type: 'effect', effect: 'announce', id: ANNOUNCE, input };
}

function usingOf({ credential: { certificate }, inUse }: JoinState, step: CredentialStep): readonly EffectAction<JoinEffects>[] {
  if (step.type !== 'keep' || typeof certificate !== 'object' || certificate.fingerprint === inUse) return [];
  return [{ type: 'effect', effect: 'use', id: 'use', input: certificate.fingerprint }];
}

function follow(requestName: string): JoinDecision {
  return { stages: [[{ type: 'effect', effect: 'follow', id: 'follow', input: requestName }]] };
}

function reportOf(state: JoinState, step: CredentialStep, now: Now): readonly ApiAction[] {
  const { cluster } = state;
  const condition = rotationCondition(state, step);
  if (!cluster || !condition) return [];
  const before = cluster.status.conditions ?? [];
  const next = setCondition(before, condition, { generation: cluster.generation, now: now.time });
  return next === before ? [] : [patchObservedStatus(cluster, HUB, managedClusters, 'status', { conditions: next })];
}

function rotationCondition({ credential, outcomes }: JoinState, step: CredentialStep): ClusterCondition | undefined {
  const { spec, certificate } = credential;
  const why = stepProblem(spec, step, outcomes);
  const type = 'ClusterCertificateRotated';
  if (why !== undefined) return { type, status: 'False', reason: 'ClientCertificateUpdateFailed', message: why };
  if (step.type !== 'keep' || typeof certificate !== 'object') return undefined;
  return { type, status: 'True', reason: 'ClientCertificateUpdated', message: rotatedMessage(certificate) };
}
