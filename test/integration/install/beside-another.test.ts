import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createControlPlane } from '@outrigger/control-plane';
import { createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { expect, it } from 'vitest';
import { runCommand } from '../../cli/world.js';
import { forgetfulConvert, keepsWhatAnotherInstalled, otherDefinitions } from './beside-another.js';

it('AT-60 installing beside another program keeps its definitions, and uninstalling restores them', async () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-beside-'));
  const server = await createControlPlane({
    runtime,
    storage: 'memory',
    crds: otherDefinitions('in-process'),
    convert: forgetfulConvert,
  });
  try {
    await server.start();
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, (await server.serve()).adminKubeconfig);
    const hub = createClient({ transport: server.transport(), runtime });
    await keepsWhatAnotherInstalled({ hub, outrigger: (...args) => runCommand(args, runtime, { KUBECONFIG: kubeconfig }) });
    expect(runtime.scope.signal.aborted).toBe(false);
  } finally {
    await server.stop();
    runtime.scope.close();
    await rm(folder, { recursive: true });
  }
});
