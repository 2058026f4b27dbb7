import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, cp, mkdir, mkdtemp, open, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'packages/cli/bin/outrigger.mjs');
const BUNDLE = join(ROOT, 'packages/cli/dist/bundle');
const ENV = { ...process.env, KUBECONFIG: '', HOME: '/nonexistent' };

async function outrigger(...args: readonly string[]): Promise<{ code: number; out: string; note: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...args], { env: ENV, timeout: 120_000 });
    return { code: 0, out: stdout, note: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, note: stderr };
  }
}

describe('the command as a process', () => {
  let folder: string;
  beforeAll(async () => {
    await run(process.execPath, [join(ROOT, 'tools/bundle.mjs')]);
    folder = await mkdtemp(join(tmpdir(), 'outrigger-up-'));
  });
  afterAll(async () => {
    await outrigger('down', '--data-dir', folder);
    await rm(folder, { recursive: true });
  });

  it('is linked by npm in a fresh clone: its file is there before anything is built', async () => {
    const { bin } = JSON.parse(await readFile(join(ROOT, 'packages/cli/package.json'), 'utf8')) as { bin: Record<string, string> };
    expect(bin).toEqual({ outrigger: 'bin/outrigger.mjs', 'kubectl-outrigger': 'bin/outrigger.mjs' });
    expect((await stat(MAIN)).mode & 0o111).not.toBe(0);
  });

  it('is bundled again if the clone has changed since', async () => {
    const clone = await mkdtemp(join(tmpdir(), 'outrigger-clone-'));
    const at = (path: string): string => join(clone, path);
    const write = async (path: string, text: string, time: number): Promise<void> => {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), text);
      await utimes(at(path), time, time);
    };
    await cp(MAIN, at('packages/cli/bin/outrigger.mjs'));
    await write('package.json', '{ "type": "module" }', 1);
    const newBundle =
      "import { writeFileSync } from 'node:fs';\nexport const bundle = () => writeFileSync('packages/cli/dist/bundle/main.js', 'console.log(2)');";
    await write('tools/bundle.mjs', newBundle, 1);
    const ran = async (): Promise<string> => (await run(process.execPath, ['packages/cli/bin/outrigger.mjs'], { cwd: clone })).stdout;
    await write('packages/cli/dist/bundle/main.js', 'console.log(1)', 20);
    expect(await ran()).toBe('1\n');
    await write('.git/logs/HEAD', '', 10);
    expect(await ran()).toBe('1\n');
    await write('.git/logs/HEAD', '', 30);
    expect(await ran()).toBe('2\n');
    await rm(clone, { recursive: true });
  });

  it('up --detach returns when all is ready, down stops it, and the next start continues from there', async () => {
    await stoppedWhileStarting(folder);
    const up = ['up', '--data-dir', folder, '--clusters', '2', '--detach'];
    const first = await outrigger(...up);
    expect(first.note + first.out).toContain('ready: kubeconfig');
    const metricsUrl = /metrics are at (http:\S+)/.exec(first.note + first.out)?.[1] ?? '';
    const scraped = [...(await (await fetch(metricsUrl)).text()).matchAll(/^# TYPE (\w+ \w+)$/gm)].map(([, type = '']) => type);
    const page = await readFile(join(ROOT, 'docs/metrics.md'), 'utf8');
    const documented = [...page.matchAll(/^\| `(outrigger_\w+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name} ${type}`);
    expect(scraped.sort()).toEqual(documented.sort());
    const kubeconfig = await readFile(join(folder, 'kubeconfig'), 'utf8');
    for (const context of ['hub', 'cluster1', 'cluster2']) expect(kubeconfig).toContain(`name: ${context}\n`);
    expect((await stat(join(folder, 'kubeconfig'))).mode & 0o077).toBe(0);

    const again = await outrigger(...up);
    expect(again).toMatchObject({ code: 1, note: expect.stringMatching(/in use by process \d+: stop it with `outrigger down/) as string });
    const addOns = await outrigger('--kubeconfig', join(folder, 'kubeconfig'), 'get', 'addons');
    expect(addOns.out).toMatch(/hello .* 2\/2/);
    expect(await outrigger('--kubeconfig', join(folder, 'kubeconfig'), 'upgrade', 'hello', '--to', 'v2')).toMatchObject({ code: 0 });

    expect(await outrigger('down', '--data-dir', folder)).toMatchObject({ code: 0, out: expect.stringContaining('stopped') as string });
    expect(await readdir(folder)).not.toContain('outrigger.pid');
    expect(await outrigger('down', '--data-dir', folder)).toMatchObject({
      code: 0,
      note: expect.stringContaining('nothing runs in') as string,
    });

    expect((await outrigger(...up)).note).toContain('going on from');
    expect((await outrigger('--kubeconfig', join(folder, 'kubeconfig'), 'get', 'revisions', 'hello')).out).toMatch(/hello\s+2\s+v2/);
    expect(await outrigger(...up, '--reset')).toMatchObject({ note: expect.stringContaining('is in use by process') as string });
    await outrigger('down', '--data-dir', folder);

    await writeFile(join(folder, 'notes'), 'of the user');
    const reset = await outrigger(...up, '--reset');
    expect(reset).toMatchObject({ code: 0, out: expect.stringContaining('ready: kubeconfig') as string });
    expect(reset.note).not.toContain('going on from');
    expect(reset.note).toContain(`removed from ${folder}: clusters, console.port, hub, kubeconfig, outrigger.log\n`);
    expect(await readFile(join(folder, 'notes'), 'utf8')).toBe('of the user');
    expect((await outrigger('--kubeconfig', join(folder, 'kubeconfig'), 'get', 'revisions', 'hello')).out).not.toMatch(/hello\s+2\s+v2/);
    await outrigger('down', '--data-dir', folder);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('up in the foreground ends cleanly on %s', async (signal) => {
    const own = await mkdtemp(join(tmpdir(), 'outrigger-fg-'));
    const child = spawn(process.execPath, [MAIN, 'up', '--data-dir', own, '--clusters', '1'], {
      env: ENV,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await said(child, 'ready');
    child.kill(signal);
    // In a terminal, both the terminal and npm send the signal to the process, so it arrives twice.
    child.kill(signal);
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(await readdir(own)).not.toContain('outrigger.pid');
    await rm(own, { recursive: true });
  });

  it.each(['kubeconfig', 'filename'])('one signal ends a command that waits for the file of --%s', async (option) => {
    const pipe = join(folder, `pipe-${option}`);
    await run('mkfifo', [pipe]);
    const command = option === 'kubeconfig' ? ['get', 'addons'] : ['lint'];
    const child = spawn(process.execPath, [MAIN, ...command, `--${option}`, pipe], { env: ENV, stdio: 'ignore' });
    const ended = once(child, 'exit') as Promise<[number | null]>;
    // Opening the pipe for writing succeeds only after the command has opened it for reading. The command then waits for data, so the test
    // can send the signal.
    let writer: FileHandle | undefined;
    const isOpen = async (): Promise<boolean> => {
      writer ??= await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
      return writer !== undefined;
    };
    await expect.poll(isOpen, { timeout: 30_000 }).toBe(true);
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(130);
    await writer?.close();
  });

  it('loads little before it parses its arguments: the code that every start loads stays small', async () => {
    expect((await loadedBy('main.js')).length).toBeLessThan(300_000);
  });

  // The commands in this test send a few requests to a hub and exit, so they must not load the libraries that only servers need.
  it.each(['get', 'why', 'tree', 'enable', 'upgrade', 'rollback'])('%s loads neither code of a server nor expressions', async (command) => {
    const main = await readFile(join(BUNDLE, 'main.js'), 'utf8');
    const chunk = new RegExp(`\\{ ${command}\\b[^}]*\\} = await import\\("\\./([^"]+)"\\)`).exec(main)?.[1] ?? '';
    const text = await loadedBy(chunk);
    const libraries = new Set([...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name]) => name));
    expect(libraries).toContain('yaml');
    for (const unused of ['undici', 'prom-client', '@peculiar/x509', '@marcbachmann/cel-js', 're2js'])
      expect(libraries).not.toContain(unused);
  });
});

/** Returns the text of a chunk and of all chunks that it imports before it runs. */
async function loadedBy(file: string, loaded = new Set<string>()): Promise<string> {
  if (loaded.has(file)) return '';
  loaded.add(file);
  const text = await readFile(join(BUNDLE, file), 'utf8');
  const imports = [...text.matchAll(/^(?:import|export)[^;]*?from ?"\.\/([^"]+)"/gm)].map(([, name]) => name ?? '');
  let all = text;
  for (const name of imports) all += await loadedBy(name, loaded);
  return all;
}

/**
 * Interrupts the first start before it completes. The process exits cleanly with the code of an interruption, and the next start runs from the beginning and creates the
 * samples again.
 */
async function stoppedWhileStarting(folder: string): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'up', '--data-dir', folder, '--clusters', '2'], {
    env: ENV,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await said(child, 'starting hub');
  child.kill('SIGTERM');
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect({ code, signal }).toEqual({ code: 130, signal: null });
}

async function said(child: ChildProcess, text: string): Promise<void> {
  let all = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      all += chunk.toString();
      if (all.includes(text)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${all}`)));
  });
}
