/**
 * Writes packages/control-plane/src/serve/protobuf/generated/messages.ts from the Go modules of Kubernetes:
 *
 *   npx tsx tools/gen-protobuf-messages/main.ts <folder with api@…, apimachinery@… and apiextensions-apiserver@…>
 *
 * `generated.proto` says which number a field has on the wire; `types.go` says what it is called in JSON, whether it is inlined there,
 * and whether its zero value means "set" (a pointer) or "absent".
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseGoFields, type GoField } from './go-types.js';
import { parseMessages, type ProtoField } from './proto.js';

const OUTPUT = new URL('../../packages/control-plane/src/serve/protobuf/generated/messages.ts', import.meta.url);

/** Package in short → folder below its module. */
const PACKAGES: Readonly<Record<string, readonly [module: string, folder: string]>> = {
  'meta.v1': ['apimachinery', 'pkg/apis/meta/v1'],
  runtime: ['apimachinery', 'pkg/runtime'],
  intstr: ['apimachinery', 'pkg/util/intstr'],
  resource: ['apimachinery', 'pkg/api/resource'],
  'apiextensions.v1': ['apiextensions-apiserver', 'pkg/apis/apiextensions/v1'],
  ...Object.fromEntries(
    [
      'core/v1',
      'apps/v1',
      'batch/v1',
      'autoscaling/v1',
      'autoscaling/v2',
      'rbac/v1',
      'certificates/v1',
      'authorization/v1',
      'authentication/v1',
      'coordination/v1',
      'events/v1',
      'networking/v1',
      'policy/v1',
      'storage/v1',
      'scheduling/v1',
      'node/v1',
      'discovery/v1',
      'admissionregistration/v1',
    ].map((path) => [path.replace('/', '.'), ['api', path] as const]),
  ),
};

/** Decoded by hand: their JSON is not the shape of their message. */
const SPECIAL = new Set([
  'Time',
  'MicroTime',
  'Timestamp',
  'Quantity',
  'IntOrString',
  'RawExtension',
  'FieldsV1',
  'Duration',
  'JSON',
  'Unknown',
]);

const [root] = process.argv.slice(2);
if (!root) throw new Error('usage: main.ts <folder of Go modules>');
const modules = readdirSync(root);

const lines: string[] = [];
for (const [name, [module, folder]] of Object.entries(PACKAGES).sort(([a], [b]) => (a < b ? -1 : 1))) {
  const moduleFolder = modules.filter((entry) => entry.startsWith(`${module}@`)).at(-1);
  if (!moduleFolder) throw new Error(`no ${module}@… in ${root}`);
  const source = join(root, moduleFolder, folder);
  const go = readGo(source);
  for (const [message, fields] of parseMessages(readFileSync(join(source, 'generated.proto'), 'utf8'), name)) {
    if (SPECIAL.has(message) || message.endsWith('List') || fields.length === 0) continue;
    lines.push(`  '${name}.${message}': '${fields.map((field) => encode(field, go.get(message)?.get(field.number))).join(';')}',`);
  }
}
const head = `// Written by tools/gen-protobuf-messages from Kubernetes' Go modules; do not edit.

/** Message → fields, each \`<number> <JSON name> <type>\`. Types: \`../fields.ts\`. */
export const MESSAGES: Readonly<Record<string, string>> = {
`;
writeFileSync(OUTPUT, `${head}${lines.join('\n')}\n};\n`);

function readGo(folder: string): Map<string, Map<number, GoField>> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.go') && !/_test\.go$|generated/.test(file));
  return parseGoFields(files.map((file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : '')).join('\n'));
}

function encode({ number, name, type, shape }: ProtoField, go: GoField | undefined): string {
  const prefix = shape === 'single' && go?.isPointer ? '*' : '';
  const container = { single: '', list: '[]', map: '{}' }[shape];
  const jsonName = go?.isInline ? '.' : (go?.jsonName ?? name);
  return `${number} ${jsonName} ${prefix}${container}${type}`;
}
