import { type Cancel, type Clock, type Logger, type Timers, errorMessage } from '@outrigger/core';
import type { EffectHandler, Now, Source, SourceContext } from '@outrigger/kube';
import type { PredictedEnd, PredictionRequest } from '@outrigger/rules/prediction';

/** All targets of an add-on for which a prediction is due, and the state to start from. Results for other targets are dropped. */
export interface PredictionsDue<State> {
  readonly addOn: string;
  readonly requests: readonly PredictionRequest[];
  readonly state: State;
  readonly now: Now;
}

/** The predictions of an add-on that were requested, and those that have been computed. */
export interface RequestedPredictions {
  readonly isRequested: (request: PredictionRequest) => boolean;
  readonly predicted: readonly ComputedEnd[];
}

export interface ComputedEnd extends PredictedEnd {
  /** When the prediction was computed, by the monotonic clock. */
  readonly computedAt: number;
}

/** Computes the predictions in small steps, so that other tasks of the process run in between. */
export type Forecast<State> = (due: PredictionsDue<State>) => Iterator<void, readonly PredictedEnd[]>;

/**
 * The duration of one slice of the computation. Pauses between slices limit the computation to a quarter of a core, and other work is
 * delayed by at most one slice.
 */
const SLICE_MS = 8;
const REST_MS = 24;

interface Asked {
  readonly request: PredictionRequest;
  answer?: ComputedEnd;
}

interface PredictionTime {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Pick<Timers, 'sleep'>;
  readonly log: Logger;
}

/**
 * Predicts when rollouts end. The fleet controller decides which predictions are due, requests them through an effect, and observes the
 * results in a later pass. Only one prediction is computed at a time.
 */
export class Predictions<State> implements Source {
  readonly #forecast: Forecast<State>;
  readonly #time: PredictionTime;
  readonly #asked = new Map<string, Map<string, Asked>>();
  #stop = new AbortController();
  #work: Promise<void> = Promise.resolve();
  #wake: SourceContext['wake'] | undefined;

  constructor(forecast: Forecast<State>, time: PredictionTime) {
    this.#forecast = forecast;
    this.#time = time;
  }

  start({ wake }: SourceContext): Cancel {
    this.#wake = wake;
    this.#stop = new AbortController();
    return () => {
      this.#wake = undefined;
      this.#stop.abort();
      this.#asked.clear();
    };
  }

  of(addOn: string): RequestedPredictions {
    const asked = this.#asked.get(addOn);
    if (!asked) return NOTHING_REQUESTED;
    return {
      isRequested: (request) => asked.has(idOf(request)),
      predicted: Array.from(asked.values()).flatMap(({ answer }) => answer ?? []),
    };
  }

  /** The handler of the effect. Starts the predictions that were not requested before and does not wait for them. */
  readonly predict: EffectHandler<PredictionsDue<State>> = async (due) => {
    const known = this.#asked.get(due.addOn);
    const asked = new Map(due.requests.map((request) => [idOf(request), known?.get(idOf(request)) ?? { request }]));
    if (asked.size === 0) this.#asked.delete(due.addOn);
    else this.#asked.set(due.addOn, asked);
    const requests = due.requests.filter((request) => known?.has(idOf(request)) !== true);
    if (requests.length === 0) return;
    this.#work = this.#work.then(() => this.#compute({ ...due, requests }, this.#stop.signal));
  };

  async #compute(due: PredictionsDue<State>, signal: AbortSignal): Promise<void> {
    const isWanted = (): boolean => !signal.aborted && due.requests.some((request) => this.#asked.get(due.addOn)?.has(idOf(request)));
    try {
      const ends = await this.#inSlices(due, signal, isWanted);
      const computedAt = this.#time.clock.monotonic();
      for (const end of ends ?? []) {
        const one = this.#asked.get(due.addOn)?.get(idOf(end));
        if (one) one.answer = { ...end, computedAt };
      }
      if (isWanted()) this.#wake?.({ name: due.addOn });
    } catch (error) {
      // Only log the failure, because a rollout does not depend on its prediction.
      if (!signal.aborted)
        this.#time.log.warn({ addOn: due.addOn, error: errorMessage(error) }, 'the end of a rollout could not be predicted');
    }
  }

  async #inSlices(due: PredictionsDue<State>, signal: AbortSignal, isWanted: () => boolean): Promise<readonly PredictedEnd[] | undefined> {
    const { clock, timers } = this.#time;
    const steps = this.#forecast(due);
    let sliceEndsAt = clock.monotonic() + SLICE_MS;
    while (isWanted()) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (clock.monotonic() < sliceEndsAt) continue;
      await timers.sleep(REST_MS, signal);
      sliceEndsAt = clock.monotonic() + SLICE_MS;
    }
    return undefined;
  }
}

const NOTHING_REQUESTED: RequestedPredictions = { isRequested: () => false, predicted: [] };

/** The predictions of a manager that makes none: every prediction counts as requested, and none is computed. */
export const NO_PREDICTIONS: { readonly of: () => RequestedPredictions; readonly predict: () => Promise<undefined> } = {
  of: () => ({ isRequested: () => true, predicted: [] }),
  predict: async () => undefined,
};

function idOf({ entry, revision, startedAt }: PredictionRequest): string {
  return JSON.stringify([entry, revision, startedAt]);
}
