import { type Cancel, type Clock, errorMessage } from '@outrigger/core';
import type { EffectHandler, Source, SourceContext } from '@outrigger/kube';
import type { AnswerAt, ProviderAnswer, TakenMeasurement } from '@outrigger/rules/policy';
import type { MetricsProvider } from './metrics-provider.js';

/** A measurement that is due, with its queries and the analysis to which it belongs. */
export interface MeasurementRequest extends Omit<TakenMeasurement, 'at' | 'now' | 'before'> {
  readonly entry: string;
  readonly provider: string;
  readonly query: string;
}

/** All measurements of an add-on that are due now. Answers to other measurements are dropped. */
export interface MeasurementsDue {
  readonly addOn: string;
  readonly requests: readonly MeasurementRequest[];
}

/** A measurement whose answer has arrived. */
export interface EntryMeasurement extends TakenMeasurement {
  readonly entry: string;
}

/** The measurements of an add-on that were requested, and those that have been answered. */
export interface RequestedMeasurements {
  readonly isRequested: (request: MeasurementRequest) => boolean;
  readonly taken: readonly EntryMeasurement[];
}

/** The maximum number of measurements that one provider answers at the same time. */
const CONCURRENCY = 8;

interface Asked {
  readonly request: MeasurementRequest;
  readonly stop: AbortController;
  answer?: EntryMeasurement;
}

/**
 * The measurements that wait for one provider, by add-on, and the number of those that the provider answers now. The add-ons take turns, so
 * that an add-on with many measurements does not delay those of others.
 */
interface Line {
  readonly waiting: Map<string, (() => Promise<void>)[]>;
  running: number;
}

/**
 * Queries metrics providers. The fleet controller decides which measurements are due, requests them through an effect, and observes the
 * answers in a later pass. An answer is kept until the controller no longer needs it, so that it survives a failed write of the record.
 * After a restart the queries are sent again.
 */
export class Measurements implements Source {
  readonly #providers: ReadonlyMap<string, MetricsProvider>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #asked = new Map<string, Map<string, Asked>>();
  /** By provider, so that a slow provider does not delay the measurements of the others. */
  readonly #lines = new Map<string, Line>();
  #wake: SourceContext['wake'] | undefined;

  constructor(providers: ReadonlyMap<string, MetricsProvider>, clock: Pick<Clock, 'now'>) {
    this.#providers = providers;
    this.#clock = clock;
  }

  start({ wake }: SourceContext): Cancel {
    this.#wake = wake;
    return () => {
      this.#wake = undefined;
      for (const asked of this.#asked.values()) for (const { stop } of asked.values()) stop.abort();
      this.#asked.clear();
      for (const { waiting } of this.#lines.values()) waiting.clear();
    };
  }

  of(addOn: string): RequestedMeasurements {
    const asked = this.#asked.get(addOn);
    if (!asked) return NOTHING_REQUESTED;
    return {
      isRequested: (request) => asked.has(idOf(request)),
      taken: Array.from(asked.values()).flatMap(({ answer }) => answer ?? []),
    };
  }

  /** The handler of the effect. Starts the measurements that were not requested before and does not wait for them. */
  readonly measure: EffectHandler<MeasurementsDue> = async ({ addOn, requests }) => {
    const wanted = new Set(requests.map(idOf));
    const asked = this.#asked.get(addOn) ?? new Map<string, Asked>();
    for (const [id, { stop }] of asked) {
      if (wanted.has(id)) continue;
      stop.abort();
      asked.delete(id);
    }
    for (const request of requests) {
      const id = idOf(request);
      if (asked.has(id)) continue;
      const one: Asked = { request, stop: new AbortController() };
      asked.set(id, one);
      enqueue(this.#lineOf(request), addOn, () => this.#ask(addOn, one));
    }
    if (asked.size > 0) this.#asked.set(addOn, asked);
    else this.#asked.delete(addOn);
    for (const [provider, line] of this.#lines) this.#runNext(provider, line);
  };

  #lineOf({ provider }: MeasurementRequest): Line {
    const line = this.#lines.get(provider) ?? { waiting: new Map(), running: 0 };
    this.#lines.set(provider, line);
    return line;
  }

  #runNext(provider: string, line: Line): void {
    while (line.running < CONCURRENCY) {
      const next = dequeue(line);
      if (!next) break;
      line.running++;
      void next().finally(() => {
        line.running--;
        this.#runNext(provider, line);
      });
    }
    // Policies may name any number of providers, so a line is kept only while it is in use.
    if (line.running === 0) this.#lines.delete(provider);
  }

  async #ask(addOn: string, one: Asked): Promise<void> {
    const { request, stop } = one;
    if (stop.signal.aborted) return;
    const { provider: _, query: __, ...measured } = request;
    const [now, before] = await Promise.all([this.#query(request, undefined, stop.signal), this.#queryBefore(request, stop.signal)]);
    if (stop.signal.aborted) return;
    one.answer = { ...measured, at: this.#clock.now(), now, ...(before.length === 0 ? {} : { before }) };
    this.#wake?.({ name: addOn });
  }

  /** Queries the values at each time that the comparison needs, one after the other. */
  async #queryBefore(request: MeasurementRequest, signal: AbortSignal): Promise<readonly AnswerAt[]> {
    const answers: AnswerAt[] = [];
    for (const at of new Set(Object.values(request.comparedAt))) {
      if (signal.aborted) break;
      const answer = await this.#query(request, at, signal);
      answers.push({ at, answer });
      // One missing answer makes the measurement inconclusive.
      if ('problem' in answer) break;
    }
    return answers;
  }

  async #query({ provider, query }: MeasurementRequest, at: number | undefined, signal: AbortSignal): Promise<ProviderAnswer> {
    const known = this.#providers.get(provider);
    if (!known) return { problem: `the manager has no metrics provider "${provider}"` };
    try {
      return await known.query(query, at, signal);
    } catch (error) {
      return { problem: `the provider did not answer: ${errorMessage(error)}` };
    }
  }
}

const NOTHING_REQUESTED: RequestedMeasurements = { isRequested: () => false, taken: [] };

function enqueue({ waiting }: Line, addOn: string, task: () => Promise<void>): void {
  const own = waiting.get(addOn);
  if (own) own.push(task);
  else waiting.set(addOn, [task]);
}

/** Removes and returns the first task of the add-on whose turn it is. The add-on's other tasks wait until all other add-ons had their turn. */
function dequeue({ waiting }: Line): (() => Promise<void>) | undefined {
  const [first] = waiting;
  if (first === undefined) return undefined;
  const [addOn, tasks] = first;
  const task = tasks.shift();
  waiting.delete(addOn);
  if (tasks.length > 0) waiting.set(addOn, tasks);
  return task;
}

function idOf({ entry, gate, group, revision, look, provider, query }: MeasurementRequest): string {
  return JSON.stringify([entry, gate, group, revision, look, provider, query]);
}
