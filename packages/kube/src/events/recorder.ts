import { apiVersionOf, type Clock, isApiError, type Kind, keyString, type KubeObject, type Runtime, toTime } from '@outrigger/core';
import type { Client } from '../client/types.js';
import type { EventIntent } from '../decision.js';
import type { Fence } from '../leader/fence.js';
import type { ApiName } from '../resource.js';
import { TokenBucket } from './token-bucket.js';

export interface EventRecorderOptions {
  readonly runtime: Runtime;
  readonly apis: Readonly<Record<ApiName, Client>>;
  /** The source that the Event names. */
  readonly component: string;
  readonly fence: Fence;
}

export interface EventRecorder {
  /**
   * Records an Event and returns immediately (best effort). Each message has its own Event, whose count increases when the message is
   * repeated. At most one write per minute is sent for one reason and one object or, for a milestone (`isMilestone`), for one message.
   * Excess writes and failed writes are dropped.
   */
  record(intent: EventIntent): void;
}

/** The minimum time between two writes for one reason and one object. */
const INTERVAL_MS = 60_000;
/** If a message occurs again after a longer time than this, a new series starts. */
const FORGET_MS = 10 * 60_000;
const MAX_SERIES = 4096;
/** Maximum number of messages with one reason that wait to be written. If there are more, the oldest message is dropped. */
const MAX_WAITING = 5;
/** Maximum length of the first part of the name, which leaves room for the suffix within 253 characters. */
const MAX_NAME = 236;
/** The time for which the preferred version of a kind is used before it is read again from the server. */
const VERSION_MAX_AGE_MS = 10 * 60_000;
const RATE = { burst: 50, perSecond: 5 } as const;

export const EVENTS: Kind<CoreEvent> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

/** A core/v1 Event, which every client and server supports. */
export interface CoreEvent extends KubeObject {
  readonly involvedObject: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
  };
  readonly type: EventIntent['type'];
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
}

/** The occurrences of one message about one object, written as one Event. */
interface Series {
  readonly name: string;
  readonly namespace: string;
  readonly intent: EventIntent;
  count: number;
  /** The number of occurrences that have been written; 0 until the Event is created. */
  written: number;
  readonly firstAt: number;
  lastAt: number;
  /** Monotonic. */
  lastSeen: number;
}

/**
 * All messages with one reason about one object, which share one rate limit. A message that changes constantly is therefore not written
 * more often than a constant message. Each message of a milestone (`isMilestone`) has its own topic.
 */
interface Topic {
  nextWriteAt: number;
  /** The series whose occurrences have not all been written, oldest first. */
  readonly waiting: Set<Series>;
  isScheduled: boolean;
}

export function createEventRecorder({ runtime, apis, component, fence }: EventRecorderOptions): EventRecorder {
  const { clock, timers, random, log } = runtime;
  const bucket = new TokenBucket(RATE, clock.monotonic());
  const series = new RecentMap<Series>(MAX_SERIES);
  const topics = new RecentMap<Topic>(MAX_SERIES);
  const versions = new PreferredVersions(clock);

  function seriesOf(intent: EventIntent, topic: string): Series {
    const id = `${topic}\n${intent.message}`;
    const found = series.get(id);
    const isCurrent = found !== undefined && clock.monotonic() - found.lastSeen < FORGET_MS;
    return series.put(id, isCurrent ? found : newSeries(intent));
  }

  function newSeries(intent: EventIntent): Series {
    const { name, namespace = 'default' } = intent.regarding.key;
    const at = clock.now();
    return {
      name: `${name.slice(0, MAX_NAME)}.${random.uuid().replaceAll('-', '').slice(0, 16)}`,
      namespace,
      intent,
      count: 0,
      written: 0,
      firstAt: at,
      lastAt: at,
      lastSeen: clock.monotonic(),
    };
  }

  function schedule(topic: Topic): void {
    if (topic.isScheduled || topic.waiting.size === 0) return;
    topic.isScheduled = true;
    timers.after(Math.max(0, topic.nextWriteAt - clock.monotonic()), () => {
      topic.isScheduled = false;
      const [next] = topic.waiting;
      if (next) {
        topic.waiting.delete(next);
        void write(next, topic);
      }
      schedule(topic);
    });
  }

  async function write(one: Series, topic: Topic): Promise<void> {
    const client = apis[one.intent.api];
    if (!client || one.count === one.written || !bucket.take(clock.monotonic())) return;
    const { count, written } = one;
    one.written = count;
    topic.nextWriteAt = clock.monotonic() + INTERVAL_MS;
    try {
      if (written === 0 && (await create(one, client))) return;
      fence.check();
      await client.patch(EVENTS, one, { type: 'merge', patch: { count, lastTimestamp: toTime(one.lastAt) } });
    } catch (error) {
      // Log a lost Event only at debug level, because nothing depends on Events. The next repetition tries again, with a new Event if the API
      // server has deleted the old one.
      one.written = isApiError(error, 'NotFound') ? 0 : written;
      log.debug({ regarding: keyString(one.intent.regarding.key), reason: one.intent.reason }, 'event not written');
    }
  }

  /** Returns false if the Event exists, because an earlier create that got no response has taken effect. */
  async function create(one: Series, client: Client): Promise<boolean> {
    const apiVersion = await versions.of(client, one.intent);
    fence.check();
    try {
      await client.create(EVENTS, eventOf(one, component, apiVersion));
      return true;
    } catch (error) {
      if (isApiError(error, 'AlreadyExists')) return false;
      throw error;
    }
  }

  return {
    record(intent) {
      const { api, regarding, type, reason } = intent;
      const id = [api, regarding.uid, type, reason, ...(intent.isMilestone ? [intent.message] : [])].join('\n');
      const topic = topics.put(id, topics.get(id) ?? { nextWriteAt: 0, waiting: new Set(), isScheduled: false });
      const one = seriesOf(intent, id);
      one.count++;
      one.lastAt = clock.now();
      one.lastSeen = clock.monotonic();
      topic.waiting.add(one);
      if (topic.waiting.size > MAX_WAITING) topic.waiting.delete([...topic.waiting][0] as Series);
      schedule(topic);
    },
  };
}

/** A map that drops the least recently used entries. */
class RecentMap<T> {
  readonly #entries = new Map<string, T>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(id: string): T | undefined {
    return this.#entries.get(id);
  }

  put(id: string, value: T): T {
    this.#entries.delete(id); // reinsert, so that the map stays ordered by last use
    this.#entries.set(id, value);
    if (this.#entries.size > this.#limit) this.#entries.delete(this.#entries.keys().next().value as string);
    return value;
  }
}

/**
 * The API versions that Events name for the kinds of their objects. Clients look for Events by the version that the server prefers
 * (`kubectl events --for`), which may be newer than the version that the controllers use.
 */
class PreferredVersions {
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly apiVersion: string; readonly readAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async of(client: Client, { api, regarding: { kind } }: EventIntent): Promise<string> {
    const id = `${api}\n${kind.group}\n${kind.kind}`;
    const known = this.#known.get(id);
    if (known && this.#clock.monotonic() - known.readAt < VERSION_MAX_AGE_MS) return known.apiVersion;
    const apiVersion = apiVersionOf((await preferredKind(client, kind)) ?? kind);
    this.#known.set(id, { apiVersion, readAt: this.#clock.monotonic() });
    return apiVersion;
  }
}

async function preferredKind(client: Client, { group, kind }: Kind): Promise<Kind | undefined> {
  try {
    return await client.discovery.kindOf({ group, kind }, VERSION_MAX_AGE_MS);
  } catch {
    // Even if the client may not read the API groups, it writes Events, with the version that its controllers use.
    return undefined;
  }
}

function eventOf({ name, namespace, intent, count, firstAt, lastAt }: Series, component: string, apiVersion: string): CoreEvent {
  const { kind, key, uid } = intent.regarding;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: { apiVersion, kind: kind.kind, ...key, uid },
    type: intent.type,
    reason: intent.reason,
    message: intent.message,
    count,
    firstTimestamp: toTime(firstAt),
    lastTimestamp: toTime(lastAt),
    source: { component },
    reportingComponent: component,
  };
}
