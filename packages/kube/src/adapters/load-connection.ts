import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ConfigError } from '../kubeconfig/connection.js';
import { inClusterConnection, isInCluster, NAMESPACE_FILE } from '../kubeconfig/in-cluster.js';
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from '../kubeconfig/kubeconfig.js';
import { type Resolved, type ResolveOptions, resolveKubeconfig } from '../kubeconfig/resolve.js';
import { readTextFile } from './files.js';

export interface LoadConnectionOptions extends ResolveOptions {
  /** Path of a kubeconfig to use instead of those that the environment names. */
  readonly kubeconfig?: string;
  /** The environment variables to read. Defaults to the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder that contains `.kube`. Defaults to the home folder of the user. */
  readonly home?: string;
  /** If aborted, ends the wait for a kubeconfig that is a named pipe. */
  readonly signal?: AbortSignal;
}

/**
 * Determines how to connect, in kubectl's order: the given file, the files in KUBECONFIG, `~/.kube/config`, the pod's service account.
 * Rejects with a one-line `ConfigError`.
 */
export async function loadConnection(options: LoadConnectionOptions = {}): Promise<Resolved> {
  const env = options.env ?? process.env;
  if (options.kubeconfig) return resolveKubeconfig(await load(options.kubeconfig, options.signal), options);
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (named.length > 0) return resolveKubeconfig(await loadPresent(named, 'KUBECONFIG', options.signal), options);
  const usual = join(options.home ?? homedir(), '.kube', 'config');
  const found = await loadIfPresent(usual, options.signal);
  if (found) return resolveKubeconfig(found, options);
  if (!isInCluster(env)) {
    throw new ConfigError(
      `no kubeconfig: ${usual} does not exist, KUBECONFIG is not set and this is not a pod: name one with --kubeconfig`,
    );
  }
  const namespace = await readTextFile(NAMESPACE_FILE, 'namespace file').catch(() => undefined);
  return { connection: inClusterConnection(env), context: 'in-cluster', namespace: namespace?.trim() };
}

async function load(path: string, signal: AbortSignal | undefined): Promise<Kubeconfig> {
  return parseKubeconfig(await readTextFile(path, 'kubeconfig', signal), path);
}

/** Loads the files in a list. Like kubectl, ignores files that do not exist; at least one must exist. */
async function loadPresent(paths: readonly string[], label: string, signal: AbortSignal | undefined): Promise<Kubeconfig> {
  const present = (await Promise.all(paths.map((path) => loadIfPresent(path, signal)))).filter((it) => it !== undefined);
  if (present.length === 0) throw new ConfigError(`${label}: ${paths.join(', ')}: no such file: check the path`);
  return mergeKubeconfigs(present);
}

async function loadIfPresent(path: string, signal: AbortSignal | undefined): Promise<Kubeconfig | undefined> {
  try {
    return await load(path, signal);
  } catch (error) {
    const cause = error instanceof ConfigError ? error.cause : undefined;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw error;
  }
}
