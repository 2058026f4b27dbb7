import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { clusterManagementAddOns } from '@outrigger/api';
import { type Runtime, errorMessage } from '@outrigger/core';
import { createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { type ConsoleStart, type RunningConsole, startConsole } from '../../console/start.js';
import { CommandError, EXIT, usageError } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { untilAborted } from '../../server/until-aborted.js';
import type { CommandContext } from '../context.js';
import type { ConsoleCommandOptions } from './command.js';

const HUB_PORT = 8443;

/** Serves the console until the process gets a signal to stop. */
export async function runConsole(context: CommandContext, options: ConnectionOptions & ConsoleCommandOptions): Promise<void> {
  const isHub = options.host.length > 0;
  if ((options.tlsCert === undefined) !== (options.tlsKey === undefined)) throw usageError('--tls-cert and --tls-key are used together');
  if (!isHub && options.tlsCert !== undefined) throw usageError('--tls-cert is for --host');
  await withHub(context, options, async (hub) => {
    if (!(await hub.discovery.serves(clusterManagementAddOns)))
      throw new CommandError('this hub does not serve the add-on API: `outrigger install hub --apply` adds it', EXIT.failed);
  });
  const tls = options.tlsCert !== undefined && options.tlsKey !== undefined ? await readPair(options.tlsCert, options.tlsKey) : undefined;
  const runtime = createRealRuntime({ log: createLogger({ level: isHub ? 'info' : 'error' }) });
  try {
    const { connection, context: name } = await loadConnection({
      env: context.env,
      signal: context.signal,
      ...(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig }),
      ...(options.context === undefined ? {} : { context: options.context }),
    });
    const hub: ConsoleStart['hub'] = isHub ? { hosts: options.host, ...(tls ? { tls } : {}) } : undefined;
    const port = options.port ?? (isHub ? HUB_PORT : 0);
    const running = await startConsole({ runtime, connection, env: context.env, hubName: name, port, ...(hub ? { hub } : {}) });
    try {
      context.terminal.out(
        isHub ? `the console is at ${running.address()}, on port ${running.port}\n` : `open the console once with ${running.address()}\n`,
      );
      if (options.tlsCert !== undefined && options.tlsKey !== undefined) followPair(runtime, running, options.tlsCert, options.tlsKey);
      await untilAborted(context.signal);
    } finally {
      await running.stop();
    }
  } finally {
    runtime.scope.close();
  }
}

const REREAD_MS = 60_000;

/**
 * Reads the certificate once per minute, so that a renewed one is used without a restart. If the certificate and key do not match, the
 * error is logged and the previous pair stays in use.
 */
function followPair(runtime: Runtime, running: RunningConsole, cert: string, key: string): void {
  const read = async (): Promise<void> => {
    try {
      running.useCertificate(await readPair(cert, key));
    } catch (error) {
      runtime.log.error({ error: errorMessage(error) }, 'the certificate of the console was not renewed');
    }
    runtime.timers.after(REREAD_MS, () => void read());
  };
  runtime.timers.after(REREAD_MS, () => void read());
}

async function readPair(cert: string, key: string): Promise<{ readonly cert: string; readonly key: string }> {
  const read = (file: string): Promise<string> =>
    readFile(file, 'utf8').catch((error: unknown) => {
      throw usageError(`cannot read ${file}: ${errorMessage(error)}`);
    });
  const pair = { cert: await read(cert), key: await read(key) };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw usageError(`--tls-cert and --tls-key: ${cert} and ${key} are no certificate and its key in PEM: ${errorMessage(error)}`);
  }
  return pair;
}
