import { isJsonObject, objectOrEmpty } from '@outrigger/core';
import { parseYamlDocument, toYaml } from '@outrigger/core/yaml';

/** Returns a kubeconfig with one context per server, named after the server. The first context is the current one. */
export function joinKubeconfigs(configs: readonly { readonly name: string; readonly kubeconfig: string }[]): string {
  const parts = configs.map(({ name, kubeconfig }) => {
    const parsed = parseYamlDocument(kubeconfig);
    const user = `${name}-admin`;
    return {
      cluster: { name, cluster: firstOf(parsed, 'clusters')['cluster'] },
      user: { name: user, user: firstOf(parsed, 'users')['user'] },
      context: { name, context: { cluster: name, user } },
    };
  });
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': configs[0]?.name ?? '',
    contexts: parts.map(({ context }) => context),
    clusters: parts.map(({ cluster }) => cluster),
    users: parts.map(({ user }) => user),
  });
}

function firstOf(config: unknown, list: string): Record<string, unknown> {
  const entries = isJsonObject(config) ? config[list] : undefined;
  const [first] = Array.isArray(entries) ? (entries as unknown[]) : [];
  return objectOrEmpty(first);
}
