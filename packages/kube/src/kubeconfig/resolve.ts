import { defined, isJsonObject, type JsonObject } from '@outrigger/core';
import { ConfigError, type ConnectionConfig, type ExecPlugin, type Impersonation } from './connection.js';
import { type FieldReader, readFields, relativeTo } from './fields.js';
import type { Entry, Kubeconfig } from './kubeconfig.js';
import { addressProblem } from './server-address.js';

export interface ResolveOptions {
  /** The context to use instead of the current one. */
  readonly context?: string;
  /**
   * Whether the kubeconfig comes from an untrusted source. If so, exec plugins and file references are rejected, so that the kubeconfig
   * gives no access to this machine. It can then contain only a server and inline credentials.
   */
  readonly untrusted?: boolean;
}

export interface Resolved {
  readonly connection: ConnectionConfig;
  readonly context: string;
  /** The default namespace of the context. */
  readonly namespace: string | undefined;
}

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;

const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const;

/** Selects a context and combines its cluster and user into one config. */
export function resolveKubeconfig(config: Kubeconfig, options: ResolveOptions = {}): Resolved {
  const name = options.context ?? config.currentContext ?? onlyContext(config);
  const context = readFields(find(config, 'contexts', name, 'context'));
  const clusterName = context.text('cluster') ?? context.fail('cluster is missing');
  const userName = context.text('user');
  const clusterEntry = find(config, 'clusters', clusterName, `cluster (of context "${name}")`);
  const cluster = readFields(clusterEntry);
  const userEntry = userName === undefined ? undefined : find(config, 'users', userName, `user (of context "${name}")`);
  const user = userEntry && readFields(userEntry);
  if (options.untrusted) {
    refuseReach(cluster, ['certificate-authority']);
    if (user) refuseReach(user, ['client-certificate', 'client-key', 'tokenFile', 'exec', 'auth-provider']);
  }
  const connection = {
    ...clusterPart(cluster),
    ...(user && userEntry ? userPart(user, userEntry, clusterEntry, userName) : {}),
    origin: `context "${name}" of ${config.files.join(', ')}`,
  };
  return { connection, context: name, namespace: context.text('namespace') };
}

/** Returns the only context of a kubeconfig without current-context. */
function onlyContext({ contexts, files }: Kubeconfig): string {
  const [only, second] = [...contexts.keys()];
  if (only !== undefined && second === undefined) return only;
  const known = only === undefined ? 'it has no contexts' : `choose one of ${[...contexts.keys()].join(', ')}`;
  throw new ConfigError(`${files.join(', ')}: current-context is not set: ${known}`);
}

function find(config: Kubeconfig, list: 'contexts' | 'clusters' | 'users', name: string, what: string): Entry {
  const entry = config[list].get(name);
  if (entry) return entry;
  const known = config[list].size === 0 ? `there are no ${list}` : `known are ${[...config[list].keys()].join(', ')}`;
  throw new ConfigError(`${config.files.join(', ')}: no ${what} named "${name}": ${known}`);
}

function refuseReach(fields: FieldReader, names: readonly string[]): void {
  for (const name of names) {
    const isGiven = name === 'exec' || name === 'auth-provider' ? fields.object(name) !== undefined : fields.text(name) !== undefined;
    if (isGiven) fields.fail(`${name} is refused because the kubeconfig comes from an untrusted source: use inline credentials`);
  }
}

function clusterPart(cluster: FieldReader): ConnectionConfig {
  const server = cluster.text('server') ?? cluster.fail('server is missing: write it as https://host:port');
  const problem = addressProblem(server);
  if (problem !== undefined) cluster.fail(`server "${server}" ${problem}`);
  return defined({
    server,
    ca: cluster.pem('certificate-authority'),
    tlsServerName: cluster.text('tls-server-name'),
    insecureSkipTlsVerify: cluster.flag('insecure-skip-tls-verify') || undefined,
    proxyUrl: cluster.text('proxy-url'),
    disableCompression: cluster.flag('disable-compression') || undefined,
  });
}

function userPart(user: FieldReader, entry: Entry, cluster: Entry, name: string | undefined): Omit<ConnectionConfig, 'server'> {
  const provider = user.object('auth-provider');
  if (provider) user.fail(`auth-provider "${String(provider['name'])}" is not supported any more: use an exec plugin`);
  const clientCertificate = user.pem('client-certificate');
  const clientKey = user.pem('client-key');
  if (clientCertificate && !clientKey) user.fail('client-key is missing: a client certificate needs its key');
  if (clientKey && !clientCertificate) user.fail('client-certificate is missing: a client key needs its certificate');
  const username = user.text('username');
  const exec = user.object('exec');
  return defined({
    clientCertificate,
    clientKey,
    certificateUser: clientCertificate && name,
    token: user.text('token'),
    tokenFile: user.path('tokenFile'),
    basic: username === undefined ? undefined : { username, password: user.text('password') ?? '' },
    exec: exec && execPart(exec, entry, cluster),
    impersonate: impersonationPart(user),
  });
}

function execPart(fields: JsonObject, { file, at }: Entry, cluster: Entry): ExecPlugin {
  const exec = readFields({ file, at: `${at}: exec`, fields });
  const apiVersion = EXEC_VERSIONS.find((it) => it === fields['apiVersion']);
  if (!apiVersion) return exec.fail(`apiVersion ${String(fields['apiVersion'])} is not supported: use one of ${EXEC_VERSIONS.join(', ')}`);
  const command = exec.text('command') ?? exec.fail('command is missing');
  const mode = exec.text('interactiveMode') ?? 'IfAvailable';
  const interactiveMode = INTERACTIVE_MODES.find((it) => it === mode);
  if (!interactiveMode) return exec.fail(`interactiveMode "${mode}" is none of ${INTERACTIVE_MODES.join(', ')}`);
  return defined({
    apiVersion,
    command: /[\\/]/.test(command) ? relativeTo(file, command) : command,
    args: exec.texts('args'),
    env: environment(fields, exec),
    installHint: exec.text('installHint'),
    provideClusterInfo: exec.flag('provideClusterInfo'),
    interactiveMode,
    clusterConfig: execExtension(cluster),
  });
}

function environment(fields: JsonObject, exec: FieldReader): ExecPlugin['env'] {
  const value = fields['env'] ?? [];
  if (!Array.isArray(value)) return exec.fail('env is not a list');
  return value.map((it: unknown) => {
    if (isJsonObject(it) && typeof it['name'] === 'string' && typeof it['value'] === 'string')
      return { name: it['name'], value: it['value'] };
    return exec.fail('env: every entry needs a name and a value');
  });
}

/** The cluster's additional data for credential plugins. */
function execExtension({ fields }: Entry): unknown {
  const extensions = Array.isArray(fields['extensions']) ? fields['extensions'] : [];
  const found = extensions.find((it): it is JsonObject => isJsonObject(it) && it['name'] === 'client.authentication.k8s.io/exec');
  return found?.['extension'];
}

function impersonationPart(user: FieldReader): Impersonation | undefined {
  const name = user.text('as');
  const groups = user.texts('as-groups');
  const uid = user.text('as-uid');
  const extra = user.object('as-user-extra') ?? {};
  if (name === undefined) {
    if (groups.length > 0 || uid !== undefined || Object.keys(extra).length > 0)
      user.fail('as is missing: groups, uid and extra need a user');
    return undefined;
  }
  const values = Object.entries(extra).map(([key, value]) => {
    const isTexts = Array.isArray(value) && value.every((it): it is string => typeof it === 'string');
    return [key, isTexts ? value : user.fail(`as-user-extra: ${key} is not a list of texts`)] as const;
  });
  return defined({ user: name, groups, uid, extra: Object.fromEntries(values) });
}
