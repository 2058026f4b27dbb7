import { type ControlPlaneOptions, type Identity, SYSTEM } from '@outrigger/control-plane';
import { type ApiRequest, type KubeObject, type LogFields, type Logger, type Metrics, type Runtime, type Transport } from '@outrigger/core';
import { type HubOptions, createAdmission, createHub, hubAdmission } from '@outrigger/hub';
import type { Client, Manager } from '@outrigger/kube';
import { createLogger } from '@outrigger/kube/node';
import { EmbeddedWorld } from '../../world/embedded.js';
import type { Eventually } from '../../world/eventually.js';
import { definitionsOf } from '../../world/simulation.js';
import { type Obedience, obedientAgent } from './obedient-agent.js';
import { atRest } from '../../world/at-rest.js';

/** A hub with its manager, and a stand-in agent that reports on works. */
export interface AddOnWorld {
  readonly runtime: Runtime;
  /** A client for the administrator. */
  readonly hub: Client;
  /** Returns a client with another identity. */
  as(identity: Identity): Client;
  /**
   * Every write that the manager sent, as `PATCH managedclusteraddons/status cluster1/hello`. Events are omitted, because they are best
   * effort.
   */
  readonly writes: string[];
  /** Every pass of the manager's controllers, as `addon cluster1/hello`. */
  readonly passes: string[];
  /**
   * Stops the manager and starts another on the same hub, with this renderer or the newest one. `meanwhile` is called while no manager
   * runs.
   */
  restartManager(renderer?: number, meanwhile?: () => Promise<void>): Promise<Manager>;
  readonly eventually: Eventually;
  /** Resolves when the manager has processed all events that it received, has no delayed write, runs no pass and sends no write. */
  quiet(): Promise<void>;
  /** Resolves when the manager is quiet and has no delayed pass either, so that no pass runs until something changes. */
  idle(): Promise<void>;
}

export interface WorldOptions {
  readonly controlPlane?: Partial<ControlPlaneOptions>;
  /** The manager's identity; the server's own identity by default. */
  readonly manager?: Identity;
  /** Called before the manager starts. */
  readonly prepare?: (hub: Client) => Promise<void>;
  /** Whether the hub's admission checks writes. */
  readonly hasAdmission?: boolean;
  /** The options of the stand-in agent. If undefined, no agent reports. */
  readonly agent?: Obedience | undefined;
  /** The logger. By default, errors are printed. */
  readonly log?: Logger;
  readonly metrics?: Metrics;
  /** Whether the hub creates the namespaces of clusters and the permissions of their agents. */
  readonly hasClusters?: boolean;
  /** Whether the hub schedules Placements, that is, writes their PlacementDecisions. */
  readonly hasPlacement?: boolean;
  /** The namespace in which the manager stores content; by default `default`. */
  readonly namespace?: string;
  /** Whether the world uses the machine's clock, for a test with real sockets or processes. */
  readonly hasRealClock?: boolean;
}

const stops: (() => Promise<void>)[] = [];

/** Stops all worlds. It must be called after each test. */
export async function stopWorlds(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}

export async function startWorld(options: WorldOptions = {}): Promise<AddOnWorld> {
  const passes: string[] = [];
  const log = options.log ?? createLogger({ level: 'error' });
  const world = await EmbeddedWorld.create({ log, hasRealClock: options.hasRealClock ?? false });
  stops.push(() => world.stop());
  const { runtime } = world;
  let manager: Manager | undefined;
  const admission = createAdmission({
    view: () => (manager?.isSynced ? manager.view : undefined),
    client: () => hub,
    clock: runtime.clock,
    settings: { managerNamespace: 'default', trustedUsers: [SYSTEM.user], checkMissingExecutor: false },
  });
  const server = await world.startServer('server', {
    crds: definitionsOf(),
    admission: options.hasAdmission ? [hubAdmission(admission)] : [],
    ...options.controlPlane,
  });
  const hub = world.client(server.transport());
  await options.prepare?.(hub);
  const writes: string[] = [];
  let lives = 0;
  const startManager = (renderer?: number): Promise<Manager> => {
    const own = world.process(`manager-${lives++}`, passLogger(passes, log));
    const client = world.client(noted(server.transport(options.manager), writes), own);
    const chosen = renderer === undefined ? {} : { renderer };
    return started(createHub({ runtime: own, client, namespace: options.namespace ?? 'default', ...settingsOf(options), ...chosen }));
  };
  let running = await startManager();
  manager = running;
  world.onStop(() => running.stop());
  const activity = (): string => `${writes.length} ${passes.length}`;
  const agent = 'agent' in options ? options.agent : {};
  if (agent) world.onStop(obedientAgent(hub, runtime, agent));
  return {
    runtime,
    hub,
    as: (identity) => world.client(server.transport(identity)),
    writes,
    passes,
    async restartManager(renderer, meanwhile) {
      await running.stop();
      await meanwhile?.();
      running = await startManager(renderer);
      manager = running;
      return running;
    },
    eventually: world.eventually,
    quiet: () => atRest(runtime, { manager: () => running, activity, restMs: COLLECTING_MS }),
    idle: () => atRest(runtime, { manager: () => running, activity, restMs: LONGEST_DELAY_MS }),
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

/** Returns a logger that records every pass and forwards log lines to `log`. */
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

/** Records the writes that are sent. Events are best effort and do not count. */
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

/** Returns a short form of the path, such as `managedclusteraddons/status cluster1/hello`. For a create, the name is in the body. */
function briefPath({ method, path, body }: ApiRequest): string {
  const created = method === 'POST' ? ((body as Partial<KubeObject> | undefined)?.metadata?.name ?? '') : '';
  const parts = path.split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const namespaced = rest[0] === 'namespaces' && rest.length > 2;
  const namespace = namespaced ? `${rest[1] ?? ''}/` : '';
  const [plural = '', name = created, subresource] = namespaced ? rest.slice(2) : rest;
  return `${subresource === undefined ? plural : `${plural}/${subresource}`} ${namespace}${decodeURIComponent(name)}`;
}

/** A wait that is longer than the second for which the manager collects writes to one object. */
export const COLLECTING_MS = 1_200;

/**
 * A wait that is longer than any delay of a pass in a settled system. The manager checks again after 5 s if it waits for something that may
 * resolve without a change.
 */
export const LONGEST_DELAY_MS = 6_000;
