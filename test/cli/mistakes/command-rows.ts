import type { JsonObject } from '@outrigger/core';
import { parseYaml, toYaml } from '@outrigger/core/yaml';

/** One mistake on the command line or in the kubeconfig, and the expected output of the command. */
export interface CommandRow {
  readonly title: string;
  readonly args: readonly string[];
  /** Returns the kubeconfig with the mistake, derived from the kubeconfig of an administrator of the hub. */
  readonly kubeconfig?: (admin: string) => string;
  /** The content of the file that `FILE` in the arguments refers to. */
  readonly file?: string;
  readonly code: number;
  /**
   * The texts that the output must contain: the error, its location and the remedy. `SERVER` is replaced with the address of the hub,
   * `FILE` with the path of the file.
   */
  readonly says: readonly string[];
  /** Texts that the output must not contain. */
  readonly never?: readonly string[];
  /** Whether the row needs a hub whose only cluster is cluster1. */
  readonly needsCluster?: true;
}

interface KubeconfigFile extends JsonObject {
  readonly users: readonly { readonly name: string; readonly user: JsonObject }[];
  readonly clusters: readonly { readonly name: string; readonly cluster: JsonObject & { readonly server: string } }[];
  readonly contexts: readonly { readonly name: string; readonly context: JsonObject }[];
}

const edited =
  (edit: (file: KubeconfigFile) => JsonObject) =>
  (admin: string): string =>
    toYaml(edit((parseYaml(admin) as unknown as [KubeconfigFile])[0]));

const asUser = (user: string, namespace?: string): ((admin: string) => string) =>
  edited((file) => ({
    ...file,
    users: file.users.map((one) => ({ ...one, user: { ...one.user, as: user } })),
    contexts: file.contexts.map((one) => ({ ...one, context: { ...one.context, ...(namespace === undefined ? {} : { namespace }) } })),
  }));

const withToken = (token: string): ((admin: string) => string) =>
  edited((file) => ({ ...file, users: file.users.map(({ name }) => ({ name, user: { token } })) }));

const atAddress = (change: (server: string) => string): ((admin: string) => string) =>
  edited((file) => ({
    ...file,
    clusters: file.clusters.map((one) => ({ ...one, cluster: { ...one.cluster, server: change(one.cluster.server) } })),
  }));

const GET = ['get', 'addons'];

/** Command names, word orders and options from other tools, and copied text. */
const HABITS: readonly CommandRow[] = [
  {
    title: 'a subcommand without its group',
    args: ['status'],
    code: 2,
    says: ['there is no command "status"', 'use `outrigger rollout status`'],
  },
  { title: 'another subcommand without its group', args: ['history', 'hello'], code: 2, says: ['use `outrigger rollout history`'] },
  { title: 'describe', args: ['describe', 'hello'], code: 2, says: ['use `outrigger why <add-on> --cluster <cluster>`'] },
  { title: 'delete', args: ['delete', 'hello'], code: 2, says: ['outrigger disable', 'kubectl delete clustermanagementaddon'] },
  { title: 'apply', args: ['apply', '-f', 'x.yaml'], code: 2, says: ['use `kubectl apply -f <files>`, after `outrigger lint -f <files>`'] },
  { title: 'ls', args: ['ls'], code: 2, says: ['use `outrigger get addons`'], never: ['did you mean'] },
  { title: 'a kind instead of a command', args: ['clusters'], code: 2, says: ['use `outrigger get clusters`'] },
  { title: 'a copied prompt', args: ['$', 'outrigger', 'get', 'addons'], code: 2, says: ['leave out "$"'] },
  { title: 'the program twice', args: ['outrigger', 'get', 'addons'], code: 2, says: ['leave out "outrigger"'] },
  {
    title: 'the add-on before the subcommand',
    args: ['rollout', 'hello', 'status'],
    code: 2,
    says: ['the command comes first: `outrigger rollout status hello`'],
  },
  {
    title: 'rollout undo',
    args: ['rollout', 'undo', 'hello'],
    code: 2,
    says: ['there is no command "undo" of `outrigger rollout`: use `outrigger rollback <add-on>`'],
  },
  { title: 'a typo in a subcommand', args: ['rollout', 'staus', 'hello'], code: 2, says: ['did you mean `outrigger rollout status`?'] },
  {
    title: 'a version without its option',
    args: ['upgrade', 'hello', 'v2'],
    code: 2,
    says: ['too many arguments', 'Did you mean `outrigger upgrade hello --to v2`?'],
  },
  {
    title: 'a cluster without its option',
    args: ['why', 'hello', 'cluster1'],
    code: 2,
    says: ['Did you mean `outrigger why hello --cluster cluster1`?'],
  },
  {
    title: 'a word that a shell would not read as one',
    args: ['why', 'hello', 'clu$ter; ls'],
    code: 2,
    says: ['too many arguments'],
    never: ['Did you mean'],
  },
  { title: 'the start of an option', args: ['up', '--console', '8080'], code: 2, says: ['Did you mean --console-port?'] },
  {
    title: 'a namespace for a cluster',
    args: [...GET, '-n', 'cluster1'],
    code: 2,
    says: ["unknown option '-n'", 'use --cluster <cluster>'],
  },
  { title: 'kind and name in one word', args: ['get', 'clusters/nowhere'], code: 3, says: ['there is no cluster "nowhere"'] },
  { title: 'an empty name', args: ['upgrade', '', '--to', 'v2'], code: 2, says: ['<add-on> is empty', 'a variable of your script'] },
  { title: 'a name of spaces', args: ['why', '  '], code: 2, says: ['<add-on> is empty'] },
  { title: 'an empty list of clusters', args: ['enable', 'hello', '--cluster', ''], code: 2, says: ['--cluster is empty', 'not set'] },
  { title: 'no file', args: ['lint', '-f', ''], code: 2, says: ['--filename is empty', 'a variable of your script'] },
  { title: 'no data folder', args: ['up', '--data-dir', ' '], code: 2, says: ['--data-dir is empty'] },
  {
    title: 'a timeout in words',
    args: ['upgrade', 'hello', '--to', 'v2', '--wait', '--timeout', 'soon'],
    code: 2,
    says: ["argument 'soon' is invalid", 'a duration such as 90s, 5m or 1h30m'],
  },
  {
    title: 'a cluster name with capitals',
    args: ['join', 'Edge_1'],
    code: 2,
    says: ['"Edge_1" cannot be the name of a cluster', 'such as edge-1'],
    never: ['regex'],
  },
  { title: 'a file as the data folder', args: ['up', '--data-dir', 'FILE'], file: '', code: 1, says: ['FILE'] },
  {
    title: 'a data folder that the system does not allow',
    args: ['up', '--data-dir', '/proc/outrigger/data'],
    code: 1,
    says: ['/proc/outrigger cannot be created in /proc: choose another folder'],
  },
  ...[
    ['render', 'hello', '-f', 'FILE'],
    ['diff', 'hello', '-f', 'FILE', '--cluster', 'cluster1'],
    ['plan', 'hello', '-f', 'FILE'],
  ].flatMap((args) => [
    {
      title: `a misspelled field in a file for ${args[0]}`,
      args,
      file: 'apiVersion: addon.open-cluster-management.io/v1alpha1\nkind: AddOnTemplate\nmetadata: { name: hello-v1 }\nspec:\n  addonName: hello\n  agentSpec:\n    workloads: { manifests: [] }\n',
      code: 1,
      says: ['FILE:7: AddOnTemplate hello-v1: spec.agentSpec.workloads: there is no such field: did you mean workload?'],
    },
    {
      title: `a misspelled kind in a file for ${args[0]}`,
      args,
      file: 'apiVersion: addon.open-cluster-management.io/v1alpha1\nkind: AddonTemplate\nmetadata: { name: hello-v1 }\n',
      code: 1,
      says: ['FILE:2: AddonTemplate hello-v1: kind: ', 'did you mean AddOnTemplate'],
    },
  ]),
  { title: 'an empty file of objects', args: ['lint', '-f', 'FILE'], file: '', code: 5, says: ['FILE:1: there is no object in this file'] },
  {
    title: 'JSON with a comma too much',
    args: ['lint', '-f', 'FILE'],
    file: '{"apiVersion": "v1",\n "kind": "ConfigMap",,}',
    code: 5,
    says: ['FILE:2: column 22: '],
  },
  {
    title: 'the kubeconfig of a local hub that does not run yet',
    args: ['--kubeconfig', '/nonexistent/.outrigger/kubeconfig', ...GET],
    code: 4,
    says: ['/nonexistent/.outrigger/kubeconfig: no such file', '`npm start` write it when the hub runs'],
  },
  {
    title: 'the version that is declared already',
    args: ['upgrade', 'hello', '--to', 'v1'],
    code: 0,
    says: ['hello is declared at v1 already: `outrigger rollout status hello` shows how far it is'],
    never: ['goes to'],
  },
  {
    title: 'an empty kubeconfig',
    args: GET,
    kubeconfig: () => '',
    code: 4,
    says: ['kubeconfig', 'it has no contexts'],
  },
  {
    title: 'an object instead of a kubeconfig',
    args: GET,
    kubeconfig: () => 'apiVersion: v1\nkind: Pod\n',
    code: 4,
    says: ['this is not a kubeconfig but a Pod'],
  },
  {
    title: 'a kubeconfig without a current context',
    args: GET,
    // The kubeconfig needs a second context, because a single context is used even if it is not the current one.
    kubeconfig: edited(({ 'current-context': _, ...file }) => ({
      ...file,
      contexts: file.contexts.flatMap((one) => [one, { ...one, name: 'other' }]),
    })),
    code: 4,
    says: ['current-context is not set: choose one of '],
  },
  {
    title: 'a host that does not exist',
    args: GET,
    kubeconfig: atAddress(() => 'https://hub.invalid:6443'),
    code: 4,
    says: ['https://hub.invalid:6443', 'check the server address'],
  },
];

export const COMMAND_ROWS: readonly CommandRow[] = [
  ...HABITS,
  {
    title: 'a typo in a flag',
    args: ['upgrade', 'hello', '--too', 'v2'],
    code: 2,
    says: ["unknown option '--too'", 'Did you mean --to?', 'outrigger upgrade --help'],
  },
  { title: 'a typo in a kind', args: ['get', 'addns'], code: 2, says: ['there is no kind "addns"', 'did you mean "addons"?'] },
  {
    title: 'a typo in a cluster',
    args: ['why', 'hello', '--cluster', 'clustr1'],
    needsCluster: true,
    code: 3,
    says: ['there is no cluster "clustr1"', 'did you mean "cluster1"?'],
  },
  {
    title: 'a namespace that is no cluster',
    args: [...GET, '--cluster', 'default'],
    needsCluster: true,
    code: 3,
    says: ['there is no cluster "default"', 'there is cluster1'],
  },
  {
    title: 'a user without rights in the namespace of the context',
    args: GET,
    kubeconfig: asUser('stranger', 'default'),
    code: 1,
    says: ['nor those in default, the namespace of your context', 'name your cluster with --cluster', 'outrigger:cluster-owner'],
    never: ['these are those of'],
  },
  {
    title: 'a user without rights and without a namespace',
    args: ['rollout', 'pause', 'hello'],
    kubeconfig: asUser('stranger'),
    code: 1,
    says: ['User "stranger" cannot', 'addonrollouts', 'outrigger:fleet-admin'],
  },
  {
    title: 'a kubeconfig that is no YAML',
    args: GET,
    kubeconfig: () => 'apiVersion: v1\nkind: Config\nclusters: [\n  - {',
    code: 4,
    says: ['kubeconfig:4:6', 'the file is not valid YAML'],
  },
  {
    title: 'a file of objects that is no YAML',
    args: ['lint', '-f', 'FILE'],
    file: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n',
    code: 5,
    says: ['FILE:4: column 1: ', 'the file is not valid YAML'],
  },
  {
    title: 'a hub that is down',
    args: GET,
    kubeconfig: atAddress(() => 'https://127.0.0.1:1'),
    code: 4,
    says: ['https://127.0.0.1:1: refused the connection', 'is the API server running, and is the address right?'],
  },
  {
    title: 'http instead of https',
    args: GET,
    kubeconfig: atAddress((server) => server.replace('https:', 'http:')),
    code: 4,
    says: ['an API server is reached by https://', 'check `server` in the kubeconfig'],
  },
  {
    title: 'a context that does not exist',
    args: ['--context', 'prod', ...GET],
    code: 4,
    says: ['kubeconfig: no context named "prod"', 'known are ', 'choose one of them with --context'],
  },
  {
    title: 'a token that has expired',
    args: GET,
    kubeconfig: withToken('expired'),
    code: 4,
    says: ['the hub SERVER does not know these credentials', 'has expired', 'log in again'],
  },
];

/** This row runs on a hub whose CRD for add-ons is deleted first. */
export const WITHOUT_KINDS: CommandRow = {
  title: 'a hub without the kinds',
  args: GET,
  code: 3,
  says: ['this server does not serve the add-on API', '--context', 'outrigger install hub --apply'],
};
