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
  /** Resolves when the manager has looked at everything and has sent nothing for a while. */
  quiet(): Promise<void>;
}

/** Longer than any pass is put off: a reason that only passes by waits five seconds. */
const LONGEST_REST_MS = 6_000;

/** Resolves when no pass has run for longer than the manager puts one off. */
export async function untilIdle({ runtime, passes }: Pick<AddOnWorld, 'runtime' | 'passes'>): Promise<void> {
  for (let before = -1; before !== passes.length; ) {
    before = passes.length;
    await runtime.timers.sleep(LONGEST_REST_MS);
  }
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
    quiet: () => quiet(runtime, () => running, writes),
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
const QUIET_MS = 1200;

/** Until the manager has looked at everything and has written nothing for a while: on a busy machine silence alone proves little. */
export async function quiet(runtime: Runtime, manager: () => Manager, writes: readonly string[]): Promise<void> {
  for (let before = -1; before !== writes.length || !manager().isSettled; ) {
    before = writes.length;
    await runtime.timers.sleep(QUIET_MS);
  }
}
