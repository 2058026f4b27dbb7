import { readPrivate, writePrivate } from '@outrigger/control-plane';

interface KeptPort<Server> {
  /** The file that keeps the port between starts. */
  readonly file: string;
  /** The port that the user asked for; 0 for any. */
  readonly wanted: number;
  readonly start: (port: number) => Promise<Server>;
  readonly portOf: (server: Server) => number;
}

/**
 * Starts a server on the port of its previous start, so that earlier addresses stay valid. If another program now uses that port, the
 * server starts on any free port. If the user asked for a port and it is in use, the start fails.
 */
export async function onKeptPort<Server>({ file, wanted, start, portOf }: KeptPort<Server>): Promise<Server> {
  const before = wanted === 0 ? portIn(await readPrivate(file)) : wanted;
  const server = await start(before).catch((error: unknown) => {
    if (wanted === 0 && before !== 0 && isTaken(error)) return start(0);
    throw error;
  });
  await writePrivate(file, String(portOf(server)));
  return server;
}

export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function portIn(text = ''): number {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}
