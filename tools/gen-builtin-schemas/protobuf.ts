/**
 * Writes packages/control-plane/src/schemas/generated/messages.ts, the protobuf layout of the built-in kinds, from the
 * sources of Kubernetes in a Go module cache:
 *
 *   npx tsx tools/gen-builtin-schemas/protobuf.ts "$(go env GOMODCACHE)/k8s.io" v0.35.4
 *
 * The .proto files provide types and numbers; the Go structs provide the JSON name of a field and whether zero means absent.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES: readonly (readonly [module: string, path: string])[] = [
  ...[
    'admissionregistration/v1',
    'apidiscovery/v2',
    'apps/v1',
    'authentication/v1',
    'authorization/v1',
    'autoscaling/v1',
    'autoscaling/v2',
    'batch/v1',
    'certificates/v1',
    'coordination/v1',
    'core/v1',
    'discovery/v1',
    'events/v1',
    'flowcontrol/v1',
    'networking/v1',
    'node/v1',
    'policy/v1',
    'rbac/v1',
    'resource/v1',
    'scheduling/v1',
    'storage/v1',
  ].map((path) => ['api', path] as const),
  ['apiextensions-apiserver', 'pkg/apis/apiextensions/v1'],
  ['kube-aggregator', 'pkg/apis/apiregistration/v1'],
  ['apimachinery', 'pkg/apis/meta/v1'],
  ['apimachinery', 'pkg/runtime'],
];

const [cache, version] = process.argv.slice(2);
if (!cache || !version) throw new Error('usage: protobuf.ts <Go module cache>/k8s.io <version>');

interface GoField {
  readonly json: string;
  readonly inline: boolean;
  /** Whether a zero value means that the field is absent: JSON omits the zero value, and the field is not a pointer. */
  readonly omitsZero: boolean;
  /** Whether protobuf contains the field even if it is zero, because it is neither a pointer nor a list. */
  readonly isAlwaysWritten: boolean;
}

/** Returns the fields, keyed by struct and protobuf number, such as `Struct 3`. */
function goFields(text: string): Map<string, GoField> {
  const fields = new Map<string, GoField>();
  let struct = '';
  for (const line of text.split('\n')) {
    struct = /^type (\w+) struct/.exec(line)?.[1] ?? struct;
    const tags = /^\s+(?:\w+\s+)?(\*|\[\]|map\[)?[^`]*`json:"([^"]*)"(?:.*?)protobuf:"\w+,(\d+)/.exec(line);
    if (!tags) continue;
    const [, indirection, json = '', number] = tags;
    const [name = '', ...options] = json.split(',');
    const omitsZero = indirection !== '*' && (options.includes('omitempty') || options.includes('omitzero'));
    const inline = name === '' && options.includes('inline');
    fields.set(`${struct} ${number}`, { json: name, inline, omitsZero, isAlwaysWritten: indirection === undefined });
  }
  return fields;
}

const shortName = (name: string): string => name.split('.').slice(-3).join('.');

function messages(proto: string, go: Map<string, GoField>): [string, string][] {
  const own = /^package ([\w.]+);/m.exec(proto)?.[1] ?? '';
  return [...proto.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, name = '', body = '']) => {
    const fields = [...body.matchAll(/^\s+(optional|repeated|map)\s*(?:<string, )?([\w.]+)>?\s+(\w+) = (\d+);/gm)].map(
      ([, label, type = '', field = '', number = '']) => {
        const known = go.get(`${name} ${number}`);
        const isScalar = ['string', 'bytes', 'bool', 'int32', 'int64', 'double', 'uint32', 'uint64'].includes(type);
        const full = isScalar ? type : shortName(type.startsWith('.') ? type.slice(1) : type.includes('.') ? type : `${own}.${type}`);
        const shape = label === 'repeated' ? '*' : label === 'map' ? '%' : '';
        const flag = known?.inline ? '^' : known?.omitsZero ? '?' : '';
        const always = known?.isAlwaysWritten && shape === '' ? '!' : '';
        return `${number} ${known?.json || field} ${flag}${always}${shape}${full}`;
      },
    );
    return [shortName(`${own}.${name}`), fields.join(',')];
  });
}

const all = PACKAGES.flatMap(([module, path]) => {
  const folder = join(cache, `${module}@${version}`, path);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const types = readdirSync(folder).filter((name) => /^types\w*\.go$/.test(name));
  return messages(read('generated.proto'), goFields(types.map(read).join('\n')));
});
const lines = all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, fields]) => `  '${name}': '${fields}',\n`);
writeFileSync(
  new URL('../../packages/control-plane/src/schemas/generated/messages.ts', import.meta.url),
  `// Written by tools/gen-builtin-schemas from the sources of Kubernetes; do not edit.\n` +
    `/**\n * Protobuf messages: \`number jsonName type\` for each field. Before the type: \`*\` repeated, \`%\` map from string, \`^\` its fields\n` +
    ` * belong to the parent, \`?\` zero means absent, \`!\` written also when absent.\n */\nexport const MESSAGES: Readonly<Record<string, string>> = {\n${lines.join('')}};\n`,
);
process.stdout.write(`${all.length} messages\n`);
