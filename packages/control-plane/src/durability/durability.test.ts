import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleProgram } from './fixtures/fixtures-program.js';

const BURSTS = 50;
let bundle: Awaited<ReturnType<typeof bundleProgram>> | undefined;
const folder = mkdtempSync(join(tmpdir(), 'durability-'));

beforeAll(async () => {
  bundle = await bundleProgram(new URL('./fixtures.ts', import.meta.url), 'durability-writer.mjs');
});
afterAll(() => {
  bundle?.remove();
  rmSync(folder, { recursive: true });
});

/** The counter values that the writer processes have reported, and the errors that these reports reveal. */
class Ledger {
  readonly sent = new Map<string, number>();
  readonly acknowledged = new Map<string, number>();
  readonly seen = new Map<string, number>();
  readonly problems: string[] = [];
  lastVersion = '1';
  writes = 0;

  note(line: string): void {
    const [word = '', name = '', value = '', more = ''] = line.split(' ');
    const count = Number(value);
    if (word === 'sent') this.sent.set(name, count);
    else if (word === 'acknowledged') {
      this.acknowledged.set(name, count);
      this.writes += 1;
    } else if (word === 'found') this.#checkFound(name, count, Number(more));
    else if (word === 'event') this.#checkEvent(name, count, more);
    else if (word === 'error') this.problems.push(line);
  }

  #checkFound(name: string, a: number, b: number): void {
    if (a !== b) this.problems.push(`${name}: half a write, ${a} and ${b}`);
    const [least, most] = [this.acknowledged.get(name) ?? 0, this.sent.get(name) ?? 0];
    if (a < least) this.problems.push(`${name}: ${least} was acknowledged, ${a} was found`);
    if (a > most) this.problems.push(`${name}: ${a} was found, only ${most} was sent`);
  }

  /**
   * Every write increments the counter by one, so a gap in the values that a watch receives reveals a missed event, even across restarts.
   */
  #checkEvent(name: string, count: number, version: string): void {
    const before = this.seen.get(name) ?? 0;
    if (count !== before + 1) this.problems.push(`${name}: the watch went from ${before} to ${count}`);
    this.seen.set(name, count);
    if (Number(version) <= Number(this.lastVersion)) this.problems.push(`${name}: version ${version} came after ${this.lastVersion}`);
    this.lastVersion = version;
  }
}

/** A writer process that has been started and waits for the signal to begin. */
class Writer {
  readonly #child = spawn(process.execPath, [bundle?.program ?? '', folder], { stdio: ['pipe', 'pipe', 'pipe'] });

  /** Starts writing, and kills the process as soon as it has reported `writes` acknowledged writes. */
  burst(ledger: Ledger, writes: number): Promise<void> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      let failure = '';
      let acknowledged = 0;
      child.stderr.on('data', (data: Buffer) => {
        failure += data.toString();
      });
      createInterface(child.stdout).on('line', (line) => {
        ledger.note(line);
        if (line.startsWith('acknowledged ') && ++acknowledged === writes) child.kill('SIGKILL');
      });
      child.on('error', reject);
      child.on('close', (_, signal) => (signal === 'SIGKILL' ? resolve() : reject(new Error(`the writer died by itself: ${failure}`))));
      child.stdin.write(`${ledger.lastVersion}\n`);
    });
  }

  discard(): void {
    this.#child.kill('SIGKILL');
  }
}

it.each([
  {
    name: 'a lost write',
    lines: ['sent c 1', 'acknowledged c 1', 'sent c 2', 'acknowledged c 2', 'found c 1 1'],
    want: 'c: 2 was acknowledged, 1 was found',
  },
  { name: 'half a write', lines: ['sent c 1', 'acknowledged c 1', 'sent c 2', 'found c 2 1'], want: 'c: half a write, 2 and 1' },
  { name: 'a write from nowhere', lines: ['sent c 1', 'found c 2 2'], want: 'c: 2 was found, only 1 was sent' },
  { name: 'a gap in a watch', lines: ['event c 1 5', 'event c 3 7'], want: 'c: the watch went from 1 to 3' },
  { name: 'a watch whose revisions decrease', lines: ['event c 1 5', 'event d 1 4'], want: 'd: version 4 came after 5' },
])('this test would notice $name', ({ lines, want }) => {
  const ledger = new Ledger();
  for (const line of lines) ledger.note(line);
  expect(ledger.problems).toEqual([want]);
});

it(`${BURSTS} kills in the middle of writing lose no acknowledged write, tear none, and no watch misses one`, async () => {
  const ledger = new Ledger();
  const waiting = [new Writer(), new Writer()];
  for (let i = 0; i < BURSTS && ledger.problems.length === 0; i += 1) {
    waiting.push(new Writer());
    await waiting.shift()?.burst(ledger, 1 + ((i * 7) % 40));
  }
  for (const writer of waiting) writer.discard();
  expect(ledger.problems).toEqual([]);
  expect(ledger.writes).toBeGreaterThan(BURSTS * 10);
});
