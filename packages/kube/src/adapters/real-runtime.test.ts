import type { webcrypto } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.js';
import { createRealRuntime } from './real-runtime.js';

describe('real runtime', () => {
  it('runs timers in a turn of their own, unless cancelled or the scope was closed', async () => {
    const runtime = createRealRuntime();
    const ran: string[] = [];
    runtime.timers.after(0, () => ran.push('kept'));
    runtime.timers.after(0, () => ran.push('cancelled'))();
    expect(ran).toEqual([]);
    await runtime.timers.sleep(5);
    expect(ran).toEqual(['kept']);
    runtime.timers.after(0, () => ran.push('cut'));
    runtime.scope.close();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(ran).toEqual(['kept']);
  });

  it('accepts delays longer than the limit of Node timers', async () => {
    const runtime = createRealRuntime();
    let ran = false;
    const cancel = runtime.timers.after(2 ** 40, () => {
      ran = true;
    });
    await runtime.timers.sleep(5);
    cancel();
    expect(ran).toBe(false);
    runtime.scope.close();
  });

  it('ends a sleep with the reason of its signal', async () => {
    const runtime = createRealRuntime();
    const stop = new AbortController();
    const sleep = runtime.timers.sleep(60_000, stop.signal);
    stop.abort(new Error('woken'));
    await expect(sleep).rejects.toThrow('woken');
    await expect(runtime.timers.sleep(1, stop.signal)).rejects.toThrow('woken');
    runtime.scope.close();
  });

  it('closes child scopes with their parent, and alone', () => {
    const { scope } = createRealRuntime();
    const [first, second] = [scope.child('first'), scope.child('second')];
    const grandchild = first.child('grandchild');
    second.close();
    expect([scope.isCut, first.isCut, second.isCut]).toEqual([false, false, true]);
    scope.close();
    expect([first.isCut, grandchild.isCut, grandchild.signal.aborted, scope.child('late').isCut]).toEqual([true, true, true, true]);
  });

  it('makes keys that sign and verify', async () => {
    const { keys, scope } = createRealRuntime();
    const pair = await keys.generate('P-256');
    const subtle = keys.subtle as webcrypto.SubtleCrypto;
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
    const data = new Uint8Array([1, 2, 3]);
    const signature = await subtle.sign(algorithm, pair.privateKey, data);
    expect(await subtle.verify(algorithm, pair.publicKey, signature, data)).toBe(true);
    scope.close();
  });

  it('logs constant messages with fields, errors with their causes, and nothing below its level', () => {
    const lines: string[] = [];
    const log = createLogger({ destination: { write: (line: string) => void lines.push(line) } });
    log.debug({}, 'hidden');
    log.child({ controller: 'fleet' }).warn({ key: 'a', error: new Error('outer', { cause: new Error('inner') }) }, 'a pass failed');
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0] ?? '') as { error: { message: string } };
    expect(line).toMatchObject({ level: 40, controller: 'fleet', key: 'a', message: 'a pass failed', error: { type: 'Error' } });
    expect(line.error.message).toContain('inner');
  });
});
