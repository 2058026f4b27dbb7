import { fileURLToPath } from 'node:url';
import { type Assets, type Console, createConsole, readAssets, serveConsole } from '@outrigger/console-server';
import type { Runtime } from '@outrigger/core';
import { type ConnectionConfig, createClient } from '@outrigger/kube';
import { createHttpTransport } from '@outrigger/kube/node';
import { VERSION } from '../version.js';
import { consoleRules } from './rules.js';

export interface ConsoleStart {
  readonly runtime: Runtime;
  readonly connection: ConnectionConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The display name of the hub. */
  readonly hubName: string;
  /** The port to listen on; 0 for any free port. */
  readonly port: number;
  /**
   * If set, users of the hub sign in with their tokens under these host names. Otherwise the console is reachable only from this machine.
   */
  readonly hub?: { readonly hosts: readonly string[]; readonly tls?: { readonly cert: string; readonly key: string } };
}

export interface RunningConsole {
  readonly port: number;
  /** Creates a URL that opens the console. In local mode it can be used only once. */
  address(): string;
  /** Uses another certificate for new connections. */
  useCertificate(tls: { readonly cert: string; readonly key: string }): void;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const USER_AGENT = `outrigger-console/${VERSION}`;

export async function startConsole({ runtime, connection, env, hubName, port, hub }: ConsoleStart): Promise<RunningConsole> {
  const transport = createHttpTransport(connection, runtime, { env });
  const client = createClient({ transport, runtime, userAgent: USER_AGENT, fieldManager: 'outrigger-console' });
  const console_ = createConsole({
    runtime,
    client,
    rules: consoleRules,
    assets: await appAssets(),
    hubName,
    version: VERSION,
    users: hub ? { mode: 'hub', clientFor: (token) => tokenClient(connection, runtime, env, token) } : { mode: 'laptop', user: hubName },
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

/** Returns a client for the hub's URL with the user's token and without the console's own credentials. */
function tokenClient(
  { server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl }: ConnectionConfig,
  runtime: Runtime,
  env: ConsoleStart['env'],
  token: string,
): { readonly client: ReturnType<typeof createClient>; close(): Promise<void> } {
  const transport = createHttpTransport(
    {
      server,
      token,
      ...(ca === undefined ? {} : { ca }),
      ...(tlsServerName === undefined ? {} : { tlsServerName }),
      ...(insecureSkipTlsVerify === undefined ? {} : { insecureSkipTlsVerify }),
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
    },
    runtime,
    { env, connections: 2 },
  );
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
