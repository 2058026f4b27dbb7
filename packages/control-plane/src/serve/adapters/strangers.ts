import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Limits } from '../limits.js';
import { type AnyRequest, peerOf } from './peer.js';

/**
 * The time in milliseconds after which an unfinished handshake may be closed to make room for a new connection. A normal handshake takes
 * milliseconds.
 */
const SLOW_HANDSHAKE_MS = 2000;

interface Stranger {
  readonly socket: Socket;
  readonly since: number;
}

/** Counts of unauthenticated connections, for metrics and tests. */
export interface StrangerCounts {
  readonly handshakes: number;
  readonly unauthenticated: number;
  /** The number of bytes read from open connections that have not presented a valid credential. */
  readonly bytesRead: number;
}

/**
 * Tracks the connections that have not presented a valid credential. Their total number is limited. Connections with a valid credential, by
 * certificate or in a request, are neither counted nor closed.
 */
export class Strangers {
  readonly #limits: Limits;
  readonly #now: () => number;
  /**
   * Handshakes by the peer's address, oldest first. The address is the key, because the plain and the encrypted socket of a connection are
   * different objects.
   */
  readonly #handshakes = new Map<string, Stranger>();
  readonly #unauthenticated = new Map<string, Stranger>();
  readonly #requests = new WeakMap<object, number>();

  /** `now` is monotonic, in milliseconds. */
  constructor(server: Http2SecureServer, limits: Limits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    server.on('connection', (socket: Socket) => this.#connected(socket));
    server.on('secureConnection', (socket: TLSSocket) => this.#secured(socket));
  }

  get counts(): StrangerCounts {
    const all = [...this.#handshakes.values(), ...this.#unauthenticated.values()];
    return {
      handshakes: this.#handshakes.size,
      unauthenticated: this.#unauthenticated.size,
      bytesRead: all.reduce((sum, { socket }) => sum + socket.bytesRead, 0),
    };
  }

  /** Called when a request on this connection had a valid credential. */
  recognize(request: AnyRequest): void {
    if (this.#unauthenticated.size > 0) this.#unauthenticated.delete(peerOf(socketOf(request)));
  }

  /**
   * Called when a request had no valid credential. After too many such requests on one HTTP/2 session, the session is closed when its
   * responses have been sent. After twice as many, the connection is closed immediately.
   */
  doubt(request: AnyRequest): void {
    if (!('stream' in request)) return;
    const { session } = request.stream;
    const stranger = session && this.#unauthenticated.get(peerOf(session.socket));
    if (!stranger) return;
    const count = (this.#requests.get(session) ?? 0) + 1;
    this.#requests.set(session, count);
    if (count === this.#limits.unauthenticatedRequests) session.close();
    else if (count > 2 * this.#limits.unauthenticatedRequests) stranger.socket.destroy();
  }

  #connected(socket: Socket): void {
    const peer = peerOf(socket);
    socket.once('close', () => {
      this.#handshakes.delete(peer);
      this.#unauthenticated.delete(peer);
    });
    if (this.#handshakes.size >= this.#limits.handshakes && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    this.#handshakes.set(peer, { socket, since: this.#now() });
  }

  #makeRoom(): boolean {
    const [oldest] = this.#handshakes;
    if (!oldest || this.#now() - oldest[1].since < SLOW_HANDSHAKE_MS) return false;
    this.#handshakes.delete(oldest[0]);
    oldest[1].socket.destroy();
    return true;
  }

  #secured(socket: TLSSocket): void {
    const peer = peerOf(socket);
    const stranger = this.#handshakes.get(peer);
    this.#handshakes.delete(peer);
    if (!stranger || socket.authorized) return;
    this.#unauthenticated.set(peer, stranger);
    if (this.#unauthenticated.size <= this.#limits.unauthenticated) return;
    for (const [first, oldest] of this.#unauthenticated) {
      this.#unauthenticated.delete(first);
      oldest.socket.destroy();
      return;
    }
  }
}

function socketOf(request: AnyRequest): Pick<Socket, 'remoteAddress' | 'remotePort'> {
  return 'stream' in request && request.stream.session ? request.stream.session.socket : request.socket;
}
