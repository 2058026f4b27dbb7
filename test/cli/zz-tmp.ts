import { startKube } from '../harness/index.js';
import { execFileSync, spawn } from 'node:child_process';
const kube = await startKube({ controllerManager: true });
const c = kube.connection as unknown as Record<string, string>;
const kc = c['kubeconfig'] ?? c['adminKubeconfig'] ?? '';
console.log(Object.keys(c), kc);
const run = (...args: string[]) => { try { return execFileSync('node', ['packages/cli/dist/bundle/main.js', '--kubeconfig', kc, ...args], { encoding: 'utf8', timeout: 60000 }); } catch (e) { return `FAILED ${(e as {status:number}).status} ` + String((e as {stderr: string}).stderr) + (e as {stdout:string}).stdout; } };
try {
  console.log(run('get', 'addons'));
  console.log(run('hub', '--metrics-port', '0'));
  console.log(run('install', 'hub', '--image', 'x', '--apply').split('\n').slice(-12).join('\n'));
  const hub = spawn('node', ['packages/cli/dist/bundle/main.js', '--kubeconfig', kc, 'hub', '--metrics-port', '0', '--log-level', 'info'], { stdio: ['ignore', 'inherit', 'inherit'] });
  await new Promise((r) => setTimeout(r, 8000));
  console.log(run('doctor'));
  console.log(run('join', 'edge1').split('\n').length);
  console.log(run('get', 'clusters'));
  console.log(run('uninstall', 'hub', '--apply').split('\n').slice(0, 5).join('\n'));
  hub.kill('SIGTERM');
  await new Promise((r) => hub.once('exit', (code) => { console.log('hub exit', code); r(undefined); }));
} finally { await kube.stop(); }
