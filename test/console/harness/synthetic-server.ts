// Serves the console's app with a synthetic fleet behind it. It is used for states that a real hub takes long to reach, for fleets of
// 10,000 clusters, and for the benchmark. It implements the API contract with fixed data.
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  type Action,
  addressOf,
  type FleetTable,
  parseAddress,
  parseStreamQuery,
  SESSION_ADDRESS,
  STREAM_ADDRESS,
  type StreamMessage,
  type ViewError,
} from '@outrigger/console-contract';
import { applyFleetDelta, syntheticDeltas, syntheticFleet, syntheticView } from '@outrigger/console-contract/testing';

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };

export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

export interface SyntheticServer {
  readonly origin: string;
  readonly actions: Action[];
  /** Changes the given number of cells and sends the delta to every stream. Returns the size of the delta in bytes. */
  readonly change: (cells: number) => number;
  /** Sets the error response to all requests for the view; undefined restores the normal response. */
  readonly refuse: (view: string, error: ViewError | undefined) => void;
  readonly signOut: (isOut: boolean) => void;
  readonly send: (message: StreamMessage) => void;
  readonly fleet: () => FleetTable;
  /** The number of open event streams. */
  readonly streams: () => number;
  readonly snapshotBytes: () => number;
  /** Stops listening and drops every connection. */
  readonly close: () => Promise<void>;
  /** Listens again after `close`, like a new process with the same fleet. */
  readonly listen: () => Promise<void>;
}

export async function startSyntheticServer(
  app: string,
  options: { clusters: number; addOns: number; change?: (fleet: FleetTable) => FleetTable },
): Promise<SyntheticServer> {
  let fleet = syntheticFleet(options);
  fleet = options.change?.(fleet) ?? fleet;
  const streams = new Set<ServerResponse>();
  const refused = new Map<string, ViewError>();
  const actions: Action[] = [];
  let isSignedOut = false;
  let port = 0;
  let starts = 1;
  const firstEpoch = fleet.epoch;
  let server: Server;
  const json = (response: ServerResponse, status: number, body: unknown, isCompressed: boolean): void => {
    const text = JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...(isCompressed ? { 'content-encoding': 'gzip' } : {}) });
    response.end(isCompressed ? gzipSync(text, { level: 4 }) : text);
  };
  const send = (message: StreamMessage): number => {
    const text = `data: ${JSON.stringify(message)}\n\n`;
    for (const stream of streams) stream.write(text);
    return text.length;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = request.url ?? '/';
    const path = address.split('?')[0] ?? '/';
    const isCompressed = String(request.headers['accept-encoding'] ?? '').includes('gzip');
    if (!path.startsWith('/api/')) return serveFile(app, path, response);
    if (isSignedOut && !(path === SESSION_ADDRESS && request.method === 'POST')) {
      return json(response, 401, { code: 'unauthorized', message: 'Sign in: your session ended.' }, isCompressed);
    }
    if (path === SESSION_ADDRESS && request.method === 'POST') {
      return json(response, 401, { code: 'unauthorized', message: 'The hub does not know this token.' }, isCompressed);
    }
    if (path === SESSION_ADDRESS) return json(response, 200, session, isCompressed);
    if (path === STREAM_ADDRESS) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const message of firstMessages(fleet, address)) response.write(`data: ${JSON.stringify(message)}\n\n`);
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return;
    }
    if (path === '/api/actions') {
      const action = JSON.parse(await bodyOf(request)) as Action;
      if (!address.includes('dryRun=true')) actions.push(action);
      return json(
        response,
        200,
        { message: `${action.action} of ${'addOn' in action ? action.addOn : 'the fleet'} was stored.`, command: '' },
        isCompressed,
      );
    }
    const wanted = parseAddress(address);
    const refusal = wanted === undefined ? undefined : refused.get(wanted.view);
    if (refusal !== undefined) return json(response, 500, refusal, isCompressed);
    const data = wanted === undefined ? undefined : syntheticView(fleet, wanted);
    if (data === undefined) return json(response, 404, { code: 'not-found', message: 'The hub has no such object.' }, isCompressed);
    const { epoch, sequence } = fleet;
    return json(response, 200, wanted?.view === 'fleet' ? data : { epoch, sequence, data }, isCompressed);
  };
  const listen = async (): Promise<void> => {
    server = createServer((request, response) => {
      answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    port = (server.address() as AddressInfo).port;
  };
  await listen();
  return {
    origin: `http://127.0.0.1:${port}`,
    actions,
    change(cells) {
      const delta = syntheticDeltas(fleet, cells, fleet.sequence + 7).next().value;
      fleet = applyFleetDelta(fleet, delta) ?? fleet;
      return send({ type: 'fleet', delta });
    },
    refuse: (view, error) => (error === undefined ? refused.delete(view) : refused.set(view, error)),
    signOut(isOut) {
      isSignedOut = isOut;
    },
    send,
    fleet: () => fleet,
    streams: () => streams.size,
    snapshotBytes: () => gzipSync(JSON.stringify(syntheticView(fleet, { view: 'fleet' }))).length,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    async listen() {
      starts++;
      fleet = { ...fleet, epoch: `${firstEpoch}-${starts}` };
      await listen();
    },
  };
}

function firstMessages({ epoch, sequence }: FleetTable, address: string): readonly StreamMessage[] {
  const behind = (parseStreamQuery(address.split('?')[1] ?? '') ?? []).filter(
    ({ since }) => since?.epoch !== epoch || since.sequence !== sequence,
  );
  return [
    { type: 'start', epoch },
    ...behind.map(({ request }): StreamMessage => ({ type: 'gap', view: addressOf(request), sequence })),
    { type: 'beat', sequence },
  ];
}

const session = {
  mode: 'laptop',
  user: 'admin',
  groups: [],
  hub: 'synthetic',
  version: '0.1.0',
  mayChangeRollouts: true,
  mayChangeAddOns: true,
  mayDecide: true,
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function serveFile(app: string, path: string, response: ServerResponse): Promise<void> {
  const file = path.startsWith('/assets/') ? normalize(path).slice(1) : 'index.html';
  const content = await readFile(join(app, file));
  response.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-security-policy': CONTENT_SECURITY_POLICY,
  });
  response.end(content);
}
