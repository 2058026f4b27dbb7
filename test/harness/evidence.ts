import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@outrigger/core';
import { createLogger } from '@outrigger/kube/node';

/** Writes evidence that helps to understand a failure into a folder. */
type Collect = (folder: string) => Promise<void>;

/** The state is global to the thread, because a suite and vitest's set-up file may load separate copies of this module. */
const STATE = Symbol.for('outrigger.evidence');
interface State {
  readonly collectors: Map<string, Collect>;
  count: number;
  /** The last lines that managers and agents in this thread have logged. */
  readonly lines: string[];
}
type WithState = typeof globalThis & { [STATE]?: State };
const state = (): State => ((globalThis as WithState)[STATE] ??= { collectors: new Map(), count: 0, lines: [] });

/** Registers `collect`, which fills a folder named after `name` if a test fails. Returns a function that unregisters it. */
export function registerEvidence(name: string, collect: Collect): () => void {
  const { collectors } = state();
  const id = `${name}-${++state().count}`;
  collectors.set(id, collect);
  return () => void collectors.delete(id);
}

/** Forgets what earlier test files in this thread registered and logged. */
export function forgetEvidence(): void {
  const { collectors, lines } = state();
  collectors.clear();
  lines.length = 0;
  state().count = 0;
}

const KEPT_LINES = 20_000;

/** Returns a logger that prints lines of level `shown` or worse, and keeps the last lines of every level for the evidence of a failure. */
export function recordedLogger(shown: 'error' | 'fatal' = 'error'): Logger {
  const { lines } = state();
  const keep = (line: string): void => {
    if (lines.push(line) > 2 * KEPT_LINES) lines.splice(0, KEPT_LINES);
  };
  return both(createLogger({ level: shown }), createLogger({ level: 'debug', destination: { write: keep } }));
}

function both(one: Logger, other: Logger): Logger {
  const log =
    (level: 'debug' | 'info' | 'warn' | 'error'): Logger['info'] =>
    (fields, message) => {
      one[level](fields, message);
      other[level](fields, message);
    };
  const child: Logger['child'] = (fields) => both(one.child(fields), other.child(fields));
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error'), child };
}

/** The time limit for a server that does not answer. After the limit, the other evidence is still written. */
const LONGEST_MS = 20_000;

/** Writes all evidence into a new folder and returns its path. If a collector fails, its error is written instead of its files. */
export async function collectEvidence(test: string): Promise<string> {
  const parent = process.env['OUTRIGGER_EVIDENCE'] ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, `outrigger-failed-${slugOf(test)}-`));
  await writeFile(join(folder, 'test.txt'), `${test}\n`);
  await writeFile(join(folder, 'manager.log'), state().lines.join(''));
  await Promise.all([...state().collectors].map(([name, collect]) => collectInto(join(folder, name), collect)));
  return folder;
}

async function collectInto(folder: string, collect: Collect): Promise<void> {
  await mkdir(folder);
  let limit: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      limit = setTimeout(() => reject(new Error(`not complete after ${LONGEST_MS / 1000} s`)), LONGEST_MS);
    });
    await Promise.race([collect(folder), late]);
  } catch (error) {
    await writeFile(join(folder, 'incomplete.txt'), `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  } finally {
    clearTimeout(limit);
  }
}

function slugOf(test: string): string {
  return test
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-|-$/g, '');
}
