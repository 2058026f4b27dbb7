import { isJsonObject, type JsonObject } from '@outrigger/core';
import { parseYamlDocument } from '@outrigger/core/yaml';
import { ConfigError } from './connection.js';

/** A named entry and the path of its file. Relative paths in the entry are resolved against this path, and messages name it. */
export interface Entry {
  readonly file: string;
  /** The position of the entry in the file, such as `users[2] "dev"`. */
  readonly at: string;
  readonly fields: JsonObject;
}

/** One kubeconfig, or several merged ones. Only the structure of the entries is checked. Their content is unchanged. */
export interface Kubeconfig {
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

/** Parses YAML or JSON. `file` is the path, for messages and relative paths. */
export function parseKubeconfig(text: string, file: string): Kubeconfig {
  const document = parseDocument(text, file);
  const currentContext = document['current-context'];
  return {
    files: [file],
    currentContext: typeof currentContext === 'string' && currentContext !== '' ? currentContext : undefined,
    contexts: entries(document, 'contexts', 'context', file),
    clusters: entries(document, 'clusters', 'cluster', file),
    users: entries(document, 'users', 'user', file),
  };
}

/**
 * Merges several kubeconfigs as kubectl does. The first entry with a name takes precedence over later ones. The first current context also
 * takes precedence.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const first = (pick: (config: Kubeconfig) => ReadonlyMap<string, Entry>): ReadonlyMap<string, Entry> =>
    new Map([...configs].reverse().flatMap((config) => [...pick(config)]));
  return {
    files: configs.flatMap((config) => config.files),
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
    contexts: first((config) => config.contexts),
    clusters: first((config) => config.clusters),
    users: first((config) => config.users),
  };
}

function parseDocument(text: string, file: string): JsonObject {
  // Treat an empty file as an empty kubeconfig, as kubectl does, because some tools create the file before they fill it.
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseYamlDocument(text, { file });
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw new ConfigError(`${line}: the file is not valid YAML`, { cause: error });
  }
  if (!isJsonObject(value))
    throw new ConfigError(`${file}: this is not a kubeconfig: expected fields such as clusters, contexts and users`);
  const kind = value['kind'];
  if (kind !== undefined && kind !== 'Config') throw new ConfigError(`${file}: this is not a kubeconfig but a ${String(kind)}`);
  return value;
}

function entries(document: JsonObject, list: string, field: string, file: string): ReadonlyMap<string, Entry> {
  const value = document[list] ?? [];
  if (!Array.isArray(value)) throw new ConfigError(`${file}: ${list} is not a list`);
  const found = new Map<string, Entry>();
  value.forEach((item: unknown, index) => {
    const name = isJsonObject(item) ? item['name'] : undefined;
    if (!isJsonObject(item) || typeof name !== 'string' || name === '') throw new ConfigError(`${file}: ${list}[${index}].name is missing`);
    const at = `${list}[${index}] "${name}"`;
    const fields = item[field] ?? {};
    if (!isJsonObject(fields)) throw new ConfigError(`${file}: ${at}: ${field} is not an object`);
    if (!found.has(name)) found.set(name, { file, at, fields });
  });
  return found;
}
