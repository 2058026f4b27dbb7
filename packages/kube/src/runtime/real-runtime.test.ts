import { describe, expect, it } from 'vitest';
import { createRealRuntime } from '../adapters/index.js';
import { createClient } from '../client/client.js';
import { createMemoryApi } from '../../testing/memory-api.js';
import { CHILD_PATH, PARENT_PATH, PARENTS, type Parent, parent, toyController } from './fixtures.js';
import { createManager } from './manager.js';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => silent };

describe('a manager on the real clock', () => {
  it('converges and stops', async () => {
    const runtime = createRealRuntime({ log: silent });
    const api = createMemoryApi({ runtime });
    const hub = createClient({ transport: api.transport, runtime });
    const manager = createManager({ runtime, apis: { hub }, controllers: [toyController()] });
    await manager.start();
    await hub.create(PARENTS, parent('a', { size: 30 }));
    const isDone = (): boolean => (api.objects(PARENT_PATH)[0] as Parent | undefined)?.status?.ready === 30;
    for (let i = 0; i < 1000 && !isDone(); i++) await runtime.timers.sleep(5);
    expect(isDone()).toBe(true);
    await manager.stop();
    expect(api.objects(CHILD_PATH)).toHaveLength(30);
    runtime.scope.close();
  });
});
