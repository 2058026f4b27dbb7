/**
 * Runs the embedded control plane with durable storage in a separate process, so that a benchmark can measure this process from outside.
 * Prints the path of the kubeconfig when the control plane serves requests. With `--no-tls` the control plane serves plain HTTP.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { createControlPlane } from '@outrigger/control-plane';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { servePlainHttp } from './plain-http.js';

// Like the command `up`, let the old generation grow by 40 % before it is collected.
setFlagsFromString('--heap-growing-percent=40');
const [dir = '', protocol] = process.argv.slice(2);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const crds = KIND_DEFINITIONS.map((definition) => customResourceDefinition(definition));
const controlPlane = await createControlPlane({ runtime, storage: { dir }, crds });
await controlPlane.start();
const text = protocol === '--no-tls' ? await servePlainHttp(controlPlane) : (await controlPlane.serve()).adminKubeconfig;
const kubeconfig = join(dir, 'admin.kubeconfig');
await writeFile(kubeconfig, text, { mode: 0o600 });
process.stdout.write(`${JSON.stringify({ kubeconfig, uptimeMs: Math.round(process.uptime() * 1000) })}\n`);
// Exit on the signal, because an exit writes the profile of `--cpu-prof`, and the default action of the signal does not.
process.on('SIGTERM', () => process.exit(0));
