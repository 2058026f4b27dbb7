import { fileURLToPath } from 'node:url';
import { type Assets, type Console, createConsole, readAssets, serveConsole } from '@outrigger/console-server';
import { type Runtime, defined } from '@outrigger/core';
import { type Client, type ConnectionConfig, createClient } from '@outrigger/kube';
import { createHttpTransport } from '@outrigger/kube/node';
import { VERSION } from '../version.js';
import { planProgram } from './plan-thread.js';
import { consoleRules, threadedRules } from './rules.js';
import { USER_AGENT } from './user-agent.js';

export interface ConsoleStart {
  readonly runtime: Runtime;
  readonly connection: ConnectionConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The display name of the hub. */
  readonly hubName: string;
  /** The port to listen on; 0 for any free port. */
  readonly port: number;
  /**
   * The path of the program that the planning thread runs. By default it is the program next to the bundle. If there is no such program,
   * plans run in the console's own thread.
   */
  readonly planProgram?: string;
  /**
   * If set, users of the hub sign in with their tokens under these host names. Otherwise the console is reachable only from this machine.
   */
  readonly hub?: { readonly hosts: readonly string[]; readonly tls?: { readonly cert: string; readonly key: string } };
}

export interface RunningConsole {
  readonly port: number;
  /** Creates a URL that opens the console. In local mode, the URL can be used only once. */
  address(): string;
  /** Uses another certificate for new connections. */
  useCertificate(tls: { readonly cert: string; readonly key: string }): void;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

export async function startConsole({ runtime, connection, env, hubName, port, hub, ...options }: ConsoleStart): Promise<RunningConsole> {
  const transport = createHttpTransport(connection, runtime, { env });
  const client = createClient({ transport, runtime, userAgent: USER_AGENT, fieldManager: 'outrigger-console' });
  const connections = new WeakMap<Client, ConnectionConfig>([[client, connection]]);
  const program = options.planProgram ?? planProgram();
  const rules = program === undefined ? consoleRules : threadedRules(program, env, (one) => connections.get(one));
  const clientFor = (token: string): ReturnType<typeof tokenClient> => {
    const userConnection = connectionWith(connection, token);
    const made = tokenClient(userConnection, runtime, env);
    connections.set(made.client, userConnection);
    return made;
  };
  const console_ = createConsole({
    runtime,
    client,
    rules,
    assets: await appAssets(),
    hubName,
    version: VERSION,
    users: hub ? { mode: 'hub', clientFor } : { mode: 'laptop', user: hubName },
  });
  const stop = async (): Promise<void> => {
    await console_.stop();
    await transport.close();
  };
  try {
    const tls = hub?.tls;
    const server = await serveConsole({ runtime, app: console_.handle, host: hub ? '::' : LOOPBACK, port, ...(tls ? { tls } : {}) });
    console_.setHosts(hub ? hub.hosts : [`${LOOPBACK}:${server.port}`, `localhost:${server.port}`]);
    return {
      port: server.port,
      address: () => addressOf(console_, server.port, hub),
      useCertificate: (pair) => server.useCertificate(pair),
      async stop() {
        await stop();
        await server.close();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function addressOf(console_: Console, port: number, hub: ConsoleStart['hub']): string {
  return hub ? `https://${hub.hosts[0] ?? ''}/` : `http://${LOOPBACK}:${port}${console_.openPath()}`;
}

/** A connection to the hub's URL with the user's token and no credentials of the console. */
function connectionWith({ server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl }: ConnectionConfig, token: string): ConnectionConfig {
  return defined({ server, token, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl });
}

function tokenClient(
  connection: ConnectionConfig,
  runtime: Runtime,
  env: ConsoleStart['env'],
): { readonly client: Client; close(): Promise<void> } {
  const transport = createHttpTransport(connection, runtime, { env, connections: 2 });
  return {
    client: createClient({ transport, runtime, userAgent: USER_AGENT, fieldManager: 'outrigger-console' }),
    close: () => transport.close(),
  };
}

/** Returns the files of the browser app. They are next to the bundle, or in their package if the command runs from source. */
async function appAssets(): Promise<Assets> {
  const bundled = await readAssets(fileURLToPath(new URL('./console/', import.meta.url)));
  return bundled.has('index.html') ? bundled : readAssets(fileURLToPath(new URL('../../../console/dist/app/', import.meta.url)));
}
