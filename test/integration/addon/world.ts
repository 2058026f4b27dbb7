import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { type ControlPlaneOptions, type Identity, SYSTEM, createControlPlane } from '@outrigger/control-plane';
import { type ApiRequest, type KubeObject, type LogFields, type Logger, type Runtime, type Transport, isApiError } from '@outrigger/core';
import { type HubOptions, createDoor, createHub, hubAdmission } from '@outrigger/hub';
import { type Client, type Manager, type Metrics, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { type Obedience, obedientAgent } from './obedient-agent.js';

/** A hub with its manager, and somebody who reports on works as an agent would. */
export interface AddOnWorld {
  readonly runtime: Runtime;
  /** As an administrator. */
  readonly hub: Client;
  /** As somebody else. */
  as(identity: Identity): Client;
  /** Every write the manager sent, as `PATCH managedclusteraddons/status cluster1/hello`; Events are best effort and not among them. */
  readonly writes: string[];
  /** Every pass of the manager's controllers, as `addon cluster1/hello`. */
  readonly passes: string[];
  /** Ends the manager and starts another over the same hub: of this renderer, or of the newest. `meanwhile` runs while there is none. */
  restartManager(renderer?: number, meanwhile?: () => Promise<void>): Promise<Manager>;
  eventually<T>(what: string, condition: () => Promise<T | undefined>): Promise<T>;
  /** Resolves when the manager has processed all it has seen, has put off no write, and neither runs passes nor writes any more. */
  quiet(): Promise<void>;
  /** The same, and the manager has put off no pass either: none runs until something changes. */
  idle(): Promise<void>;
}

export interface WorldOptions {
  readonly controlPlane?: Partial<ControlPlaneOptions>;
  /** Who the manager is; the server itself if nobody is named. */
  readonly manager?: Identity;
  /** Called before the manager starts. */
  readonly prepare?: (hub: Client) => Promise<void>;
  /** Whether writes are judged by the hub's own admission. */
  readonly hasDoor?: boolean;
  /** What the cluster's side reports; nobody reports if undefined is given. */
  readonly agent?: Obedience | undefined;
  /** Where the log goes; errors are shown if it is not said. */
  readonly log?: Logger;
  readonly metrics?: Metrics;
  /** Whether the hub gives clusters their namespace and their agents their rights. */
  readonly hasClusters?: boolean;
  /** Whether the hub decides on Placements. */
  readonly hasPlacement?: boolean;
  /** Where the manager stores content; `default` if not said. */
  readonly namespace?: string;
}

const stops: (() => Promise<void>)[] = [];

/** To be called after each test. */
export async function stopWorlds(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}

export async function startWorld(options: WorldOptions = {}): Promise<AddOnWorld> {
  const passes: string[] = [];
  const runtime = createRealRuntime({ log: passLogger(passes, options.log) });
  const crds = KIND_DEFINITIONS.map((definition) => customResourceDefinition(definition));
  let manager: Manager | undefined;
  const door = createDoor({
    view: () => (manager?.isSynced ? manager.view : undefined),
    client: () => hub,
    clock: runtime.clock,
    settings: { managerNamespace: 'default', trustedUsers: [SYSTEM.user], checkMissingExecutor: false },
  });
  const admission = options.hasDoor ? [hubAdmission(door)] : [];
  const server = await createControlPlane({ runtime, storage: 'memory', crds, admission, ...options.controlPlane });
  await server.start();
  stops.push(() => server.stop());
  const hub = createClient({ transport: server.transport(), runtime });
  await options.prepare?.(hub);
  const writes: string[] = [];
  const startManager = (renderer?: number): Promise<Manager> => {
    const client = createClient({ transport: noted(server.transport(options.manager), writes), runtime });
    const chosen = renderer === undefined ? {} : { renderer };
    return started(createHub({ runtime, client, namespace: options.namespace ?? 'default', ...settingsOf(options), ...chosen }));
  };
  let running = await startManager();
  manager = running;
  stops.push(() => running.stop());
  const agent = 'agent' in options ? options.agent : {};
  if (agent) stops.push(obedientAgent(hub, runtime, agent));
  return {
    runtime,
    hub,
    as: (identity) => createClient({ transport: server.transport(identity), runtime }),
    writes,
    passes,
    async restartManager(renderer, meanwhile) {
      await running.stop();
      await meanwhile?.();
      running = await startManager(renderer);
      manager = running;
      return running;
    },
    eventually: (what, condition) => poll(runtime, what, condition),
    quiet: () => atRest(runtime, () => running, { writes, passes, restMs: COLLECTING_MS }),
    idle: () => atRest(runtime, () => running, { writes, passes, restMs: LONGEST_DELAY_MS }),
  };
}

function settingsOf({ metrics, hasClusters, hasPlacement }: WorldOptions): Pick<HubOptions, 'metrics' | 'clusters' | 'placement'> {
  return {
    ...(metrics ? { metrics } : {}),
    ...(hasClusters ? {} : { clusters: false }),
    ...(hasPlacement ? {} : { placement: false }),
  };
}

async function started(manager: Manager): Promise<Manager> {
  await manager.start();
  return manager;
}

/** Notes every pass, and hands what is an error, or whatever is asked for, on to the log. */
export function passLogger(passes: string[], log: Logger = createLogger({ level: 'error' }), own: LogFields = {}): Logger {
  return {
    debug(fields, message) {
      if (message === 'pass') passes.push(`${String(own['controller'])} ${String(fields['key'])}`);
      log.debug(fields, message);
    },
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    child: (fields) => passLogger(passes, log.child(fields), { ...own, ...fields }),
  };
}

/** Notes what is sent to change something. Events are best effort and do not count. */
export function noted(transport: Transport, writes: string[]): Transport {
  return {
    send(request, signal) {
      if (request.method !== 'GET') {
        const what = briefPath(request);
        if (!what.startsWith('events ')) writes.push(`${request.method} ${what}`);
      }
      return transport.send(request, signal);
    },
    close: () => transport.close(),
  };
}

/** `managedclusteraddons/status cluster1/hello`; what is created has its name in the body. */
function briefPath({ method, path, body }: ApiRequest): string {
  const created = method === 'POST' ? ((body as Partial<KubeObject> | undefined)?.metadata?.name ?? '') : '';
  const parts = path.split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const namespaced = rest[0] === 'namespaces' && rest.length > 2;
  const namespace = namespaced ? `${rest[1] ?? ''}/` : '';
  const [plural = '', name = created, subresource] = namespaced ? rest.slice(2) : rest;
  return `${subresource === undefined ? plural : `${plural}/${subresource}`} ${namespace}${decodeURIComponent(name)}`;
}

export async function poll<T>(runtime: Runtime, what: string, condition: () => Promise<T | undefined>): Promise<T> {
  let last: unknown;
  for (let attempt = 0; attempt < 1500; attempt++) {
    try {
      const found = await condition();
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof Error) || (!isApiError(error, 'NotFound') && error.name !== 'AssertionError')) throw error;
      last = error;
    }
    await runtime.timers.sleep(20);
  }
  throw new Error(`waited in vain for: ${what}`, { cause: last });
}

/** Longer than the second for which the manager collects writes to one object. */
export const COLLECTING_MS = 1_200;

/** Longer than the manager puts off any pass of a system at rest: a reason for waiting that may pass by itself is looked at after 5 s. */
export const LONGEST_DELAY_MS = 6_000;

interface Rest {
  readonly writes: readonly string[];
  readonly passes: readonly string[];
  /** No pass is due for so long. */
  readonly restMs: number;
  /** For so many looks in a row, 20 ms apart, nothing may happen. The agent of the test and the watches need turns of the event loop. */
  readonly looks?: number;
}

/**
 * Resolves when the manager is at rest. A busy machine stretches time, so silence alone proves little: the manager must have processed all it has
 * seen, and its queues must be empty for `restMs` to come.
 */
export async function atRest(runtime: Runtime, manager: () => Manager, { writes, passes, restMs, looks = 10 }: Rest): Promise<void> {
  const activity = (): string => `${writes.length} ${passes.length}`;
  let before = activity();
  for (let still = 0; still < looks; ) {
    await runtime.timers.sleep(20);
    const { isSettled, nextPassInMs = Number.POSITIVE_INFINITY } = manager();
    still = isSettled && nextPassInMs > restMs && activity() === before ? still + 1 : 0;
    before = activity();
  }
}
