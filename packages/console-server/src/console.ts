import type { ViewRequest } from '@outrigger/console-contract';
import { type Runtime, toTime } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type App, createApp, errorOf } from './http/app.js';
import type { Assets } from './http/assets.js';
import { Stream } from './http/stream.js';
import { createViewCache } from './http/view-cache.js';
import type { ConsoleRules } from './rules.js';
import { type Authentication, hubAuthentication, laptopAuthentication } from './sessions/authentication.js';
import { type Session, Sessions, type TokenClient } from './sessions/sessions.js';
import { type Following, follow } from './state/follow.js';
import { ConsoleState } from './state/state.js';
import { computeView } from './views/compute.js';
import { PlanJobs } from './views/plan-jobs.js';
import { SEES_ALL } from './views/sight.js';

export interface ConsoleOptions {
  readonly runtime: Runtime;
  /** The client that reads the objects for all views and, on a hub, reviews tokens and permissions. */
  readonly client: Client;
  readonly rules: ConsoleRules;
  readonly assets: Assets;
  readonly hubName: string;
  readonly version: string;
  readonly users:
    | { readonly mode: 'laptop' /** The user of the kubeconfig, for people. */; readonly user: string }
    | { readonly mode: 'hub'; readonly clientFor: (token: string) => TokenClient };
}

export interface Console {
  readonly handle: App;
  /** Sets the accepted Host headers (lower case), once the port is known. */
  setHosts(hosts: readonly string[]): void;
  /** The path and query of a new one-time URL; on a hub, `/`. */
  openPath(): string;
  readonly isReady: boolean;
  stop(): Promise<void>;
}

/** Maximum number of event streams per user. Each stream needs a timer and the computation of its views. */
const MOST_STREAMS_OF_A_USER = 50;
/** Creates the console without sockets: the watches, sessions, views and event streams. */
export function createConsole(options: ConsoleOptions): Console {
  const { runtime, client, rules, users } = options;
  const epoch = runtime.random.uuid();
  const state = new ConsoleState();
  /** The open streams, each with the name of its user. */
  const streams = new Map<Stream, string>();
  const following: Following = follow({
    runtime,
    client,
    state,
    onChange: () => streams.forEach((_, stream) => stream.wake()),
    without: users.mode === 'laptop' ? ['role bindings'] : [],
  });
  let hosts: readonly string[] = [];
  const sessions = users.mode === 'hub' ? new Sessions({ runtime, client, clientFor: users.clientFor, state }) : undefined;
  const laptop =
    users.mode === 'laptop' ? laptopAuthentication(runtime, laptopSession(users.user, client), () => portOf(hosts)) : undefined;
  const authentication = (laptop ?? (sessions && hubAuthentication(sessions))) as Authentication;
  const sources = {
    state,
    client,
    rules,
    moment: () => ({ epoch, sequence: state.log.sequence, now: runtime.clock.now() }),
    reviewsRights: users.mode === 'hub',
    plans: new PlanJobs(runtime),
  };

  const view = createViewCache((session, request) => computeView(sources, session, request), state, runtime);
  const streamSources = {
    runtime,
    epoch,
    state,
    trouble: () => troubleOf(following),
    view: async (session: Session, request: ViewRequest) => {
      try {
        return { text: await view(session, request) };
      } catch (error) {
        return { error: JSON.stringify(errorOf(error)) };
      }
    },
  };

  return {
    handle: createApp({
      runtime,
      authentication,
      assets: options.assets,
      hosts: () => hosts,
      hubName: options.hubName,
      version: options.version,
      notReady: () => unreadyText(following),
      epoch,
      sequence: () => state.log.sequence,
      view,
      hasTooManyStreams: ({ identity }) => [...streams.values()].filter((user) => user === identity.user).length >= MOST_STREAMS_OF_A_USER,
      stream(session, refresh, views, sink) {
        const stream = new Stream(streamSources, sink, session, refresh, views);
        streams.set(stream, session.identity.user);
        return () => {
          streams.delete(stream);
          stream.close();
        };
      },
    }),
    setHosts(names) {
      hosts = names.map((name) => name.toLowerCase());
    },
    openPath: () => laptop?.oneTimePath() ?? '/',
    get isReady() {
      return following.isReady;
    },
    async stop() {
      for (const stream of streams.keys()) stream.end('server-stops', 'the console stops');
      streams.clear();
      await following.stop();
      await sessions?.stop();
    },
  };
}

function unreadyText({ isReady, trouble }: Following): string | undefined {
  return isReady ? undefined : `the console is still reading the fleet${trouble ? `: ${trouble.message}` : ''}`;
}

function troubleOf({ trouble }: Following): { since: string; message: string } | undefined {
  return trouble && { since: toTime(trouble.since), message: trouble.message };
}

function laptopSession(user: string, client: Client): Session {
  return {
    identity: { user, uid: '', groups: [], extra: {} },
    client,
    sight: { ...SEES_ALL, fingerprint: 'all' },
    mayChangeAddOns: true,
  };
}

function portOf([host = '']: readonly string[]): string {
  return /:(\d+)$/.exec(host)?.[1] ?? '80';
}
