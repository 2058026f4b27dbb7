import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** The number of requests that are being answered. */
  requests: number;
}

/**
 * Limits the number of open connections of a server. When the limit is reached, a new connection replaces the one that has been unused for
 * longest, even one in the middle of its handshake or headers. If all connections have a request, the new connection is closed instead. An
 * API server opens a closed connection again.
 */
export class BoundedConnections {
  readonly #most: number;
  /**
   * Keyed by the address of the client, because the plain and the encrypted side of a connection are different objects. The longest unused
   * connection comes first.
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
    connection.requests += 1;
    this.#open.delete(peer);
    this.#open.set(peer, connection);
    response.once('close', () => {
      connection.requests -= 1;
    });
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}|${remotePort}`;
}
