import { deployments } from '@outrigger/api';
import { type JsonObject, type KubeObject, isApiError, keyOf, toTime } from '@outrigger/core';
import type { Agenda, ApiEvent, MemoryApi } from '../engine/index.js';
import { fateOfImage } from './workload.js';

const ACTOR = { name: 'kubelet' };

/** Simulates the Deployments on a cluster: reports on each as a workload that becomes available, is slow, or never becomes available. */
export class Kubelet {
  readonly #api: MemoryApi;
  readonly #agenda: Agenda;
  /** The time at which each generation of a Deployment was first seen, by uid and generation. */
  readonly #startedAt = new Map<string, number>();
  #unhealthyUntil = 0;

  constructor(api: MemoryApi, agenda: Agenda) {
    this.#api = api;
    this.#agenda = agenda;
  }

  notice({ kind, after }: ApiEvent): void {
    if (kind.plural === deployments.plural && after) this.#agenda.after(1, () => this.#report(after));
  }

  flap(forMs: number): void {
    this.#unhealthyUntil = this.#agenda.now + forMs;
    const all = (): void => {
      for (const object of Array.from(this.#api.list(deployments))) this.#report(object);
    };
    all();
    this.#agenda.after(forMs, all);
  }

  #report(seen: KubeObject): void {
    const key = keyOf(seen);
    const object = this.#api.find(deployments, key);
    if (!object || object.metadata.deletionTimestamp !== undefined) return;
    const { uid = '', generation = 1 } = object.metadata;
    const { now } = this.#agenda;
    const id = `${uid}/${generation}`;
    const startedAt = this.#startedAt.get(id) ?? now;
    this.#startedAt.set(id, startedAt);
    const image = object.spec?.template?.spec?.containers?.[0]?.image ?? '';
    const { isReady, isStuck, recheckAt } = fateOfImage(image, startedAt, now);
    const isUp = isReady && now >= this.#unhealthyUntil;
    if (recheckAt !== undefined) this.#agenda.at(recheckAt, () => this.#report(object));
    const ready = isUp ? 1 : 0;
    const condition = (type: string, status: string, reason: string): JsonObject => ({
      type,
      status,
      reason,
      message: '',
      lastTransitionTime: toTime(startedAt),
    });
    const status = {
      observedGeneration: generation,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: ready,
      availableReplicas: ready,
      conditions: [
        condition('Available', isUp ? 'True' : 'False', isUp ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable'),
        condition('Progressing', isStuck ? 'False' : 'True', isStuck ? 'ProgressDeadlineExceeded' : 'NewReplicaSetAvailable'),
      ],
    };
    try {
      this.#api.patch(ACTOR, deployments, key, { status }, { subresource: 'status' });
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
  }
}
