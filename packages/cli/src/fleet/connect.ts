import { type Transport, isApiError } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';
import type { CommandContext } from '../commands/context.js';
import { CommandError, EXIT } from '../failure.js';
import { VERSION } from '../version.js';
import { notYetValid } from './client-certificate.js';

export interface ConnectionOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** The time in milliseconds after which a command reports that the hub does not respond to a request. */
const TIMEOUT_MS = 30_000;
const NOTICE_MS = 1_000;

/**
 * Connects to the hub that the options specify, and runs `work` with the client, the URL of the hub and the namespace of the kubeconfig
 * context. Closes the connection afterwards. On a terminal, prints a notice if the hub responds slowly.
 */
export async function withHub<T>(
  context: CommandContext,
  options: ConnectionOptions,
  work: (hub: Client, server: string, namespace: string | undefined) => Promise<T>,
): Promise<T> {
  const runtime = await context.runtime();
  const { connection, namespace } = await loadConnection({
    env: context.env,
    signal: context.signal,
    ...(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig }),
    ...(options.context === undefined ? {} : { context: options.context }),
  });
  const transport = createHttpTransport(connection, runtime, { protocol: 'h2', connections: 4, env: context.env });
  const cancel = runtime.timers.after(NOTICE_MS, () => {
    if (context.terminal.isLive) context.terminal.note(`asking ${connection.server} ...\n`);
  });
  const hub = createClient({
    transport: apiAnswers(untilAnswered(transport, cancel), connection.server),
    runtime,
    userAgent: `outrigger/${VERSION}`,
    fieldManager: 'outrigger-cli',
    limits: { timeoutMs: TIMEOUT_MS },
  });
  try {
    return await work(hub, connection.server, namespace);
  } catch (error) {
    const refused = await notYetValid(error, connection, runtime.clock.now());
    throw refused ?? (isApiError(error, 'Unauthorized') ? unknownCredentials(connection.server, error) : error);
  } finally {
    cancel();
    await transport.close();
  }
}

function unknownCredentials(server: string, cause: unknown): CommandError {
  return new CommandError(
    `the hub ${server} does not know these credentials: the token or certificate of the kubeconfig context is wrong or has expired: log in again, or ask an administrator of the hub for a new one`,
    EXIT.unreachable,
    { cause },
  );
}

/**
 * Fails on responses that are web pages or redirects. An API server never sends these, but proxies and login pages send them for every
 * request, even with status 200. A redirect is not followed, because the credentials would go to another server.
 */
export function apiAnswers(transport: Transport, server: string): Transport {
  return {
    send: async (request, signal) => {
      const response = await transport.send(request, signal);
      const location = response.headers['location'];
      if (response.status >= 300 && response.status < 400 && location !== undefined)
        throw new CommandError(
          `${server} redirects to ${location} (status ${response.status}), which is not followed, so it is not the hub's API server, or a proxy is in between: check \`server\` in the kubeconfig, HTTPS_PROXY and NO_PROXY`,
          EXIT.unreachable,
        );
      if (!/^(text\/html|application\/xhtml)/.test(response.headers['content-type'] ?? '')) return response;
      const [, title = ''] = /<title[^>]*>([^<]{1,80})/i.exec(typeof response.body === 'string' ? response.body : '') ?? [];
      const page = title.trim() === '' ? '' : ` titled "${title.trim()}"`;
      throw new CommandError(
        `${server} responds with a web page${page} (status ${response.status}), so it is not the hub's API server, or a proxy is in between: check \`server\` in the kubeconfig, HTTPS_PROXY and NO_PROXY`,
        EXIT.unreachable,
      );
    },
    close: () => transport.close(),
  };
}

/** Calls `answered` after each response, so that no notice about a slow hub is printed after the hub has responded. */
export function untilAnswered(transport: Transport, answered: () => void): Transport {
  return {
    send: async (request, signal) => {
      const response = await transport.send(request, signal);
      answered();
      return response;
    },
    close: () => transport.close(),
  };
}
