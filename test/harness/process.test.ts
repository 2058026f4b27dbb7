import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { freePorts } from './process.js';

const MODULE = new URL('./process.ts', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('freePorts', () => {
  it('chooses no port of another worker, even if a run beside this one has a worker of the same number', async () => {
    const own = await freePorts(20);
    expect(new Set(own).size).toBe(20);
    const program = `const { freePorts } = await import(${JSON.stringify(MODULE)}); console.log(JSON.stringify(await freePorts(20)));`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: process.env });
    const blocks = (ports: readonly number[]): Set<number> => new Set(ports.map((port) => Math.floor(port / 250)));
    expect(blocks(own).size).toBe(1);
    const others = blocks(JSON.parse(stdout) as number[]);
    expect([...others].filter((block) => blocks(own).has(block))).toEqual([]);
  });
});
