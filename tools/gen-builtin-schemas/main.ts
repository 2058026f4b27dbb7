/**
 * Writes packages/control-plane/src/schemas/generated/ from a running Kubernetes API server:
 *
 *   npx tsx tools/gen-builtin-schemas/main.ts https://127.0.0.1:6443 <bearer token>
 *
 * The program does not check the server's certificate, so use a server of your own on loopback.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { published } from './published.js';
import { GROUP_VERSIONS, NOT_SERVED, SERVED_SUBRESOURCES } from './groups.js';
import { shortName, trim, type OpenApiNode } from './trim.js';

const OUTPUT = new URL('../../packages/control-plane/src/schemas/generated/', import.meta.url);
const HEADER = '// Written by tools/gen-builtin-schemas from a real server; do not edit.\n';

interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly group?: string;
  readonly version?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const [server, token] = process.argv.slice(2);
if (!server || !token) throw new Error('usage: main.ts <server URL> <bearer token>');

function get<T>(path: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const options = { rejectUnauthorized: false, headers: { authorization: `Bearer ${token}`, accept: 'application/json' } };
    request(`${server}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(JSON.parse(text) as T);
        else reject(new Error(`GET ${path}: ${response.statusCode} ${text}`));
      });
    })
      .on('error', reject)
      .end();
  });
}

const pathOf = (groupVersion: string): string => (groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`);

async function resourcesOf(groupVersion: string): Promise<OpenApiNode[]> {
  const { resources } = await get<{ resources: readonly ApiResource[] }>(`/${pathOf(groupVersion)}`);
  const [group, version] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
  return resources
    .filter(({ name }) => !name.includes('/') && !NOT_SERVED.has(name))
    .map(({ name: plural, singularName, kind, namespaced, verbs, shortNames, categories }) => ({
      group,
      version,
      kind,
      plural,
      singular: singularName,
      namespaced,
      verbs,
      ...(shortNames ? { shortNames } : {}),
      ...(categories ? { categories } : {}),
      subresources: subresourcesOf(plural, resources),
    }));
}

function subresourcesOf(plural: string, resources: readonly ApiResource[]): OpenApiNode {
  const own = resources.filter(({ name }) => name.startsWith(`${plural}/`) && SERVED_SUBRESOURCES.has(name.split('/')[1] ?? ''));
  return Object.fromEntries(
    own.map(({ name, kind, verbs, group, version }): [string, OpenApiNode] => [
      name.split('/')[1] ?? '',
      { kind, verbs, ...(group === undefined ? {} : { group }), ...(version === undefined ? {} : { version }) },
    ]),
  );
}

const available = new Map<string, OpenApiNode>();
const kinds = new Map<string, string>();
const resources: OpenApiNode[] = [];
for (const path of ['api', 'apis', 'apis/apps', 'version', ...GROUP_VERSIONS.map(pathOf)]) {
  const document = await get<{ components: { schemas: Record<string, OpenApiNode> } }>(`/openapi/v3/${path}`);
  for (const [name, schema] of Object.entries(document.components.schemas)) available.set(name, schema);
}
for (const groupVersion of GROUP_VERSIONS) resources.push(...(await resourcesOf(groupVersion)));
for (const [name, schema] of available) {
  const gvks = (schema['x-kubernetes-group-version-kind'] ?? []) as readonly { group: string; version: string; kind: string }[];
  if (gvks.length === 1 && gvks[0]) kinds.set(`${gvks[0].group}/${gvks[0].version}/${gvks[0].kind}`, name);
}

const definitions = new Map<string, string>();
const queue: string[] = [];
const lists: string[] = [];
const roots: Record<string, string> = {};
for (const { group, version, kind, subresources } of resources) {
  const list = kinds.get([group, version, `${String(kind)}List`].join('/'));
  if (list) lists.push(list);
  const own = [{ group, version, kind }, ...Object.values(subresources as Record<string, OpenApiNode>)];
  for (const entry of own) {
    const key = [entry['group'] ?? group, entry['version'] ?? version, entry['kind']].join('/');
    const name = kinds.get(key);
    if (!name) throw new Error(`no schema for ${key}`);
    roots[key] = shortName(name);
    queue.push(name);
  }
}
const documented = published([...queue, ...lists], available);
for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
  const short = shortName(name);
  if (definitions.has(short)) continue;
  const seen = new Set<string>();
  definitions.set(short, JSON.stringify(trim(available.get(name) ?? {}, seen)));
  queue.push(...seen);
}

mkdirSync(OUTPUT, { recursive: true });
const lines = [...definitions]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, text]) => `  '${name}': '${text.replace(/['\\]/g, '\\$&')}',\n`);
writeFileSync(
  new URL('definitions.ts', OUTPUT),
  `${HEADER}/** Trimmed schemas as JSON text, parsed when first used. */\nexport const DEFINITIONS: Readonly<Record<string, string>> = {\n${lines.join('')}};\n`,
);
const rootLines = Object.entries(roots).map(([key, name]) => `  '${key}': '${name}',\n`);
const resourceLines = resources.map((resource) => `  ${JSON.stringify(resource)},\n`);
writeFileSync(
  new URL('resources.ts', OUTPUT),
  `${HEADER}import type { BuiltinResource } from '../../registry/builtin-resource.js';\n\n` +
    `export const RESOURCES: readonly BuiltinResource[] = [\n${resourceLines.join('')}];\n\n` +
    `/** \`group/version/kind\` → name in DEFINITIONS. */\nexport const ROOTS: Readonly<Record<string, string>> = {\n${rootLines.join('')}};\n`,
);
writeFileSync(
  new URL('openapi.ts', OUTPUT),
  `${HEADER}` +
    `/** What a real server publishes about the built-in kinds, by name: JSON, compressed with brotli, in base64. */\n` +
    `export const PUBLISHED: string =\n  '${documented.text}';\n`,
);
process.stdout.write(`${resources.length} resources, ${definitions.size} definitions, ${documented.count} published\n`);
