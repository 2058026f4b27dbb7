import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKubectl } from '../harness/index.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// This test is not with the command's other tests, because it downloads lmdb from the registry.
describe('`npm pack` gives one file that installs the command', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-pack-'));
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['pack', '--pack-destination', folder, ...quiet], { cwd: ROOT });
    const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    await run('npm', ['install', '--global', '--prefix', join(folder, 'prefix'), join(folder, file), ...quiet], { cwd: folder });
    const path = [join(folder, 'prefix/bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
    env = { ...process.env, PATH: path, KUBECONFIG: '', HOME: folder };
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('as outrigger', async () => {
    expect((await run('outrigger', ['version'], { env })).stdout).toMatch(/^outrigger \d+\.\d+\.\d+ /);
  });

  it('as kubectl outrigger', async () => {
    expect((await run(await findKubectl(), ['outrigger', 'version'], { env })).stdout).toMatch(/^outrigger \d+\.\d+\.\d+ /);
  });

  it('with the native part its store needs', async () => {
    const data = join(folder, 'data');
    const up = await run('outrigger', ['up', '--data-dir', data, '--clusters', '1', '--detach'], { env });
    expect(up.stdout).toContain('ready: kubeconfig');
    const addOns = await run('outrigger', ['--kubeconfig', join(data, 'kubeconfig'), 'get', 'addons', '-o', 'name'], { env });
    expect(addOns.stdout).toContain('/hello\n');
    expect((await run('outrigger', ['down', '--data-dir', data], { env })).stdout).toContain('stopped');
  });
});
