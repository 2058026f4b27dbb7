import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A suite on a real server with a manager: one test passes, one fails, one fails in its hook. */
const FAILING = `
import { addOnTemplates } from '@outrigger/api';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { templateOf } from '../../integration/addon/objects.js';
import { startKubeHub } from '../hub.js';

describe('planted', () => {
  let world;
  let isHookBroken = false;
  beforeAll(async () => {
    world = await startKubeHub();
    await world.hub.create(addOnTemplates, templateOf('witness'));
  });
  afterEach(() => expect(isHookBroken).toBe(false));
  afterAll(() => world.stop());
  it('passes', () => undefined);
  it('fails', () => expect('is').toBe('wanted'));
  it('fails in a hook', () => {
    isHookBroken = true;
  });
});
`;

describe('tests that fail on a real API server', () => {
  let planted: string;
  let evidence: string;
  let output = '';
  beforeAll(async () => {
    planted = await mkdtemp(join(ROOT, 'test', 'kube', 'planted-'));
    evidence = await mkdtemp(join(tmpdir(), 'outrigger-evidence-'));
    await writeFile(join(planted, 'failing.test.ts'), FAILING);
    const args = ['run', '--config', 'vitest.kube.config.ts', planted];
    const env = { ...process.env, OUTRIGGER_EVIDENCE: evidence };
    const child = spawn(join(ROOT, 'node_modules', '.bin', 'vitest'), args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    await once(child, 'close');
    // The limit only guards against a hang. It is long, because the suite runs in another process, which loads all sources again and starts
    // its own servers.
  });
  afterAll(async () => {
    for (const folder of [planted, evidence]) await rm(folder, { recursive: true });
  });

  it.each(['planted > fails', 'planted > fails in a hook'])('"%s" leaves logs and objects in a folder that is printed', async (test) => {
    const folder = new RegExp(`failed test "${test}": (.+)$`, 'm').exec(output)?.[1] ?? '';
    expect(folder, output).toContain(evidence);
    const read = (...path: readonly string[]): Promise<string> => readFile(join(folder, ...path), 'utf8');
    expect(await read('test.txt')).toBe(`${test}\n`);
    expect(await read('manager.log')).toContain('"message":"pass"');
    expect(await read('server-1', 'kube-apiserver.log')).toContain('Serving securely');
    expect(await read('server-1', 'kube-controller-manager.log')).toContain('garbage');
    expect(JSON.parse(await read('server-1', 'addontemplates.json'))).toMatchObject({ items: [{ metadata: { name: 'witness' } }] });
    for (const plural of ['managedclusters', 'managedclusteraddons', 'manifestworks', 'namespaces', 'events'])
      expect(JSON.parse(await read('server-1', `${plural}.json`)), plural).toHaveProperty('items');
  });

  it('a test that passes leaves no evidence', () => {
    expect(output).not.toContain('failed test "planted > passes"');
  });
});
