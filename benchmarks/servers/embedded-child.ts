/**
 * Runs the embedded control plane with durable storage in a separate process, so that a benchmark can measure it from outside. Prints the
 * path of its kubeconfig when it serves requests.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { createControlPlane } from '@outrigger/control-plane';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';

const [dir = ''] = process.argv.slice(2);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const crds = KIND_DEFINITIONS.map((definition) => customResourceDefinition(definition));
const controlPlane = await createControlPlane({ runtime, storage: { dir }, crds });
await controlPlane.start();
const { adminKubeconfig } = await controlPlane.serve();
const kubeconfig = join(dir, 'admin.kubeconfig');
await writeFile(kubeconfig, adminKubeconfig, { mode: 0o600 });
process.stdout.write(`${JSON.stringify({ kubeconfig, uptimeMs: Math.round(process.uptime() * 1000) })}\n`);
// Exiting writes the profile of `--cpu-prof`, but the default action of the signal does not.
process.on('SIGTERM', () => process.exit(0));
