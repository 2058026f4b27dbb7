import { apiVersionOf, type Kind, keyString, type KubeObject, type Runtime, toTime } from '@outrigger/core';
import type { Client } from '../client/types.js';
import type { EventIntent } from '../decision.js';
import type { Fence } from '../leader/fence.js';
import type { ApiName } from '../resource.js';
import { TokenBucket } from './token-bucket.js';

export interface EventRecorderOptions {
  readonly runtime: Runtime;
  readonly apis: Readonly<Record<ApiName, Client>>;
  /** Shown as the source of the event. */
  readonly component: string;
  readonly fence: Fence;
}

export interface EventRecorder {
  /** Best effort: returns at once; repetitions within a minute become a count, floods and failures are dropped. */
  record(intent: EventIntent): void;
}

/** A series is written at most this often. */
const INTERVAL_MS = 60_000;
/** A series without an addition for this long starts anew. */
const FORGET_MS = 10 * 60_000;
const MAX_SERIES = 4096;
/** Leaves room for the suffix within the 253 characters of a name. */
const MAX_NAME = 236;
const RATE = { burst: 50, perSecond: 5 } as const;

export const EVENTS: Kind<CoreEvent> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

/** A core/v1 Event, which every client and server knows. */
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

interface Series {
  readonly name: string;
  readonly namespace: string;
  intent: EventIntent;
  count: number;
  /** How many of `count` the server knows about; 0 until created. */
  written: number;
  readonly firstAt: number;
  lastAt: number;
  /** Monotonic. */
  lastSeen: number;
  nextWriteAt: number;
  isScheduled: boolean;
}

export function createEventRecorder({ runtime, apis, component, fence }: EventRecorderOptions): EventRecorder {
  const { clock, timers, random, log } = runtime;
  const bucket = new TokenBucket(RATE, clock.monotonic());
  const all = new Map<string, Series>();

  function seriesOf(intent: EventIntent): Series {
    const { api, regarding, type, reason } = intent;
    const id = [api, regarding.uid, type, reason].join('\n');
    const found = all.get(id);
    all.delete(id); // so that the order of the map is the order of last use
    const isCurrent = found !== undefined && clock.monotonic() - found.lastSeen < FORGET_MS;
    const series = isCurrent ? found : newSeries(intent);
    all.set(id, series);
    if (all.size > MAX_SERIES) all.delete(all.keys().next().value as string);
    return series;
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
      nextWriteAt: 0,
      isScheduled: false,
    };
  }

  function schedule(series: Series): void {
    if (series.isScheduled) return;
    series.isScheduled = true;
    timers.after(Math.max(0, series.nextWriteAt - clock.monotonic()), () => {
      series.isScheduled = false;
      void write(series);
    });
  }

  async function write(series: Series): Promise<void> {
    const client = apis[series.intent.api];
    if (!client || series.count === series.written || !bucket.take(clock.monotonic())) return;
    const { count } = series;
    const isFirst = series.written === 0;
    series.written = count;
    series.nextWriteAt = clock.monotonic() + INTERVAL_MS;
    try {
      fence.check();
      if (isFirst) await client.create(EVENTS, eventOf(series, component));
      else await client.patch(EVENTS, series, { type: 'merge', patch: repetitionOf(series) });
    } catch {
      // Events are for people who watch; nothing may depend on them, so a lost one is only worth a debug line. The next repetition
      // starts the series again: there may be nothing to add to.
      series.written = 0;
      log.debug({ regarding: keyString(series.intent.regarding.key), reason: series.intent.reason }, 'event not written');
    }
  }

  return {
    record(intent) {
      const series = seriesOf(intent);
      series.intent = intent;
      series.count++;
      series.lastAt = clock.now();
      series.lastSeen = clock.monotonic();
      schedule(series);
    },
  };
}

function eventOf({ name, namespace, intent, count, firstAt, lastAt }: Series, component: string): CoreEvent {
  const { kind, key, uid } = intent.regarding;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: { apiVersion: apiVersionOf(kind), kind: kind.kind, ...key, uid },
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

function repetitionOf({ count, intent, lastAt }: Series): { count: number; message: string; lastTimestamp: string } {
  return { count, message: intent.message, lastTimestamp: toTime(lastAt) };
}
