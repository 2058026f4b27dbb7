import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.js';

export type Binary = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kubectl';

type Environment = Readonly<Record<string, string | undefined>>;
type Report = (line: string) => void;

const SOURCES = fileURLToPath(new URL('.', import.meta.url));

/**
 * Returns the versions that the Go modules in this folder pin. They are part of the cache folder's name, so that a new pin never uses an
 * old binary.
 */
export function pinnedVersions(): { readonly kubernetes: string; readonly etcd: string } {
  return {
    kubernetes: pinned('kubernetes', 'k8s.io/kubernetes'),
    etcd: pinned('etcd', 'go.etcd.io/etcd/server/v3'),
  };
}

/**
 * Returns the path of one binary: from the folder in KUBEBUILDER_ASSETS if it exists there, otherwise from the cache, where it is built
 * once from the Go modules in this folder. Fails with one line that says what is missing.
 */
export async function findBinary(binary: Binary, env: Environment = process.env, report: Report = reportToStderr): Promise<string> {
  const provided = env['KUBEBUILDER_ASSETS'] && join(env['KUBEBUILDER_ASSETS'], binary);
  if (provided && existsSync(provided)) return provided;

  const built = join(cacheFolder(env), binary);
  if (existsSync(built)) return built;
  if (!isOnPath('go', env)) throw new Error(missing(binary, env));
  await mkdir(cacheFolder(env), { recursive: true });
  // Only one process builds at a time, because two builds would compete for the same cores.
  await withLock(join(cacheFolder(env), '.building'), report, async () => {
    if (!existsSync(built)) await build(binary, built, report);
  });
  return built;
}

export function isOnPath(command: string, env: Environment = process.env): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, command)));
}

function cacheFolder(env: Environment): string {
  const { kubernetes, etcd } = pinnedVersions();
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'outrigger', `kube-${kubernetes}-etcd-${etcd}`, 'bin');
}

function pinned(module: string, dependency: string): string {
  const text = readFileSync(join(SOURCES, module, 'go.mod'), 'utf8');
  const version = new RegExp(`^\\s*(?:require )?${dependency.replaceAll('.', '\\.')} v(\\S+)`, 'm').exec(text)?.[1];
  if (!version) throw new Error(`tools/kube-binaries/${module}/go.mod does not require ${dependency}`);
  return version;
}

function missing(binary: Binary, env: Environment): string {
  const assets = env['KUBEBUILDER_ASSETS'];
  const searched = assets ? `${binary} is not in KUBEBUILDER_ASSETS (${assets})` : 'KUBEBUILDER_ASSETS is not set';
  return `${binary} is missing: ${searched} and there is no Go toolchain on PATH to build it; install Go or set KUBEBUILDER_ASSETS`;
}

async function build(binary: Binary, target: string, report: Report): Promise<void> {
  const { folder, main, flags } = recipe(binary);
  const partial = `${target}.${process.pid}.partial`;
  const started = Date.now();
  report(`building ${binary} (first run only, some minutes)`);
  const ticking = setInterval(() => report(`building ${binary}, ${Math.round((Date.now() - started) / 1000)} s`), 30_000);
  try {
    await go(['build', '-trimpath', '-ldflags', flags, '-o', partial, main], join(SOURCES, folder));
    await rename(partial, target);
  } finally {
    clearInterval(ticking);
    await rm(partial, { force: true });
  }
  report(`built ${binary} in ${Math.round((Date.now() - started) / 1000)} s`);
}

function recipe(binary: Binary): { readonly folder: string; readonly main: string; readonly flags: string } {
  const small = '-s -w';
  if (binary === 'etcd') return { folder: 'etcd', main: '.', flags: small };
  const version = pinnedVersions().kubernetes;
  const [major, minor] = version.split('.');
  // Without these flags the servers report version v0.0.0, and clients reject features because of it.
  const stamps = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((pkg) => [
    `-X ${pkg}.gitVersion=v${version}`,
    `-X ${pkg}.gitMajor=${major}`,
    `-X ${pkg}.gitMinor=${minor}`,
  ]);
  return { folder: 'kubernetes', main: `k8s.io/kubernetes/cmd/${binary}`, flags: [small, ...stamps].join(' ') };
}

function go(args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, { cwd, env: { ...process.env, CGO_ENABLED: '0' }, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-4000);
    });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`go ${args.join(' ')} failed in ${cwd}:\n${stderr}`))));
  });
}

function reportToStderr(line: string): void {
  process.stderr.write(`kube-binaries: ${line}\n`);
}
