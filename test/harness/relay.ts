import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A TCP relay in front of a server. A test can cut its connections as a network failure would. */
export interface Relay {
  readonly port: number;
  /** The number of connections that clients opened or tried to open so far. */
  readonly attempts: number;
  /** Breaks every connection. New connections are rejected until `restore`. */
  cut(): void;
  /** Drops all data until `restore`, without closing connections or reporting an error. New connections get no response. */
  stall(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isStalled = false;
  let attempts = 0;
  const server = createServer((inbound) => {
    attempts++;
    if (isCut) {
      inbound.destroy();
      return;
    }
    const outbound = connect(targetPort, '127.0.0.1');
    for (const socket of [inbound, outbound]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        inbound.destroy();
        outbound.destroy();
      });
    }
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        if (isStalled || to.write(chunk)) return;
        from.pause();
        to.once('drain', () => from.resume());
      });
      from.on('end', () => to.end());
    }
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    port: (server.address() as AddressInfo).port,
    get attempts() {
      return attempts;
    },
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    stall() {
      isStalled = true;
    },
    restore() {
      isCut = false;
      // A connection from which data was dropped would continue in the middle of a message, so it is closed.
      if (isStalled) for (const socket of sockets) socket.destroy();
      isStalled = false;
    },
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}
