import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** The number of requests that are being answered. */
  requests: number;
}

/**
 * Limits the number of open connections of a server, plain or encrypted. When the limit is reached, a new connection replaces the one that
 * has been unused for longest. If all connections are in use, the new connection is closed instead. API servers and browsers open a closed
 * connection again. A connection is in use from the end of a request's body until the response was handed to the socket. Therefore, a
 * client that never ends its handshake, headers or body, or never reads its response, does not lock out other clients.
 */
export class BoundedConnections {
  readonly #most: number;
  /**
   * The open connections, the longest unused first, keyed by the address of the client. The socket cannot be the key, because the plain and
   * the encrypted side of a connection are different objects.
   */
  readonly #open = new Map<string, Connection>();

  constructor(server: Server, most: number) {
    this.#most = most;
    server.on('connection', (socket: Socket) => this.#opened(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#asked(request, response));
  }

  #opened(socket: Socket): void {
    const peer = peerOf(socket);
    if (this.#open.size >= this.#most && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const connection = { socket, requests: 0 };
    this.#open.set(peer, connection);
    socket.once('close', () => {
      if (this.#open.get(peer) === connection) this.#open.delete(peer);
    });
  }

  #makeRoom(): boolean {
    for (const [peer, { socket, requests }] of this.#open) {
      if (requests > 0) continue;
      this.#open.delete(peer);
      socket.destroy();
      return true;
    }
    return false;
  }

  #asked(request: IncomingMessage, response: ServerResponse): void {
    const peer = peerOf(request.socket);
    const connection = this.#open.get(peer);
    if (!connection) return;
    this.#open.delete(peer);
    this.#open.set(peer, connection);
    let isInUse = false;
    let hasEnded = false;
    const begin = (): void => {
      if (isInUse || hasEnded) return;
      isInUse = true;
      connection.requests += 1;
    };
    const end = (): void => {
      hasEnded = true;
      if (isInUse) connection.requests -= 1;
      isInUse = false;
    };
    if (hasBody(request)) request.once('end', begin);
    else begin();
    response.once('prefinish', end);
    response.once('close', end);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}|${remotePort}`;
}
