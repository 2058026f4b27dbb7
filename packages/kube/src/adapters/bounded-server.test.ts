import { createServer } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { listenBounded } from './bounded-server.js';
import { createRealRuntime } from './real-runtime.js';

const runtime = createRealRuntime();
afterAll(() => runtime.scope.close());

it('keeps an idle connection for longer than API servers do, which keep one for 90 s', async () => {
  const server = await listenBounded(
    createServer((_, response) => response.end('ok')),
    runtime,
    { port: 0, host: '127.0.0.1', maxConnections: 10, graceMs: 1_000 },
  );
  const { headers } = await fetch(`http://127.0.0.1:${server.port}/`);
  expect(Number(/^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(90);
  await server.close();
});
