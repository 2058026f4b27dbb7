import type { JsonObject } from '@outrigger/core';
import { parseYaml, toYaml } from '@outrigger/core/yaml';

/** One mistake on the command line or in the kubeconfig, and the expected output of the command. */
export interface CommandRow {
  readonly title: string;
  readonly args: readonly string[];
  /** The kubeconfig with the mistake, derived from the kubeconfig of an administrator of the hub. */
  readonly kubeconfig?: (admin: string) => string;
  /** The content of the file that `FILE` in the arguments stands for. */
  readonly file?: string;
  readonly code: number;
  /**
   * The expected texts: the problem, its location and the remedy. `SERVER` stands for the address of the hub, `FILE` for the path of the
   * file.
   */
  readonly says: readonly string[];
  /** Texts that the output must not contain. */
  readonly never?: readonly string[];
  /** The row needs a hub whose only cluster is cluster1. */
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

export const COMMAND_ROWS: readonly CommandRow[] = [
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
    says: ['nor those in default, the namespace of your context', 'outrigger get addons --cluster <cluster>', 'outrigger:cluster-owner'],
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

/** On a hub whose definition of add-ons is deleted first. */
export const WITHOUT_KINDS: CommandRow = {
  title: 'a hub without the kinds',
  args: GET,
  code: 3,
  says: ['this hub does not serve the add-on API', 'outrigger install hub --apply'],
};
