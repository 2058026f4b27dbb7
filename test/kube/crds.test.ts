import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@outrigger/core/yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, eventually } from '../conformance/api.js';
import { connectBeforeAll, ownNamespace } from '../conformance/subject.js';
import { startRealServer } from './connect.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly group: string; readonly scope: string; readonly names: { readonly kind: string; readonly plural: string } };
}
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const definitions = yamlFiles('deploy/crds').map(({ documents, file }) => ({ file, definition: documents[0] as unknown as Definition }));
const valid = yamlFiles('test/fixtures/valid');
const invalid = yamlFiles('test/fixtures/invalid');

describe('our kinds on kube-apiserver', () => {
  const subject = connectBeforeAll(() => startRealServer({ controllerManager: false }));
  const ns = ownNamespace(subject, 'crds');
  beforeAll(async () => {
    for (const { definition } of definitions) await subject.admin.create(CRDS, definition);
  });

  it('has definitions and examples of right and wrong to check', () => {
    for (const files of [definitions, valid, invalid]) expect(files.length).toBeGreaterThan(0);
  });

  it.each(definitions)('$file is established without a complaint about its schema', async ({ definition }) => {
    await eventually(async () => {
      const { body } = await subject.admin.get(`${CRDS}/${definition.metadata.name}`);
      const { conditions } = body.status as { conditions: readonly { type: string; status: string }[] };
      const summary = Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
      expect(summary).toMatchObject({ Established: 'True', NamesAccepted: 'True' });
      expect(summary).not.toHaveProperty('NonStructuralSchema');
    });
  });

  /** Creates an object as a dry run, so that objects in several files may have the same name. */
  const dryCreate = (manifest: Manifest, fieldValidation: 'Ignore' | 'Strict'): Promise<Answer> => {
    const found = definitions.find(
      ({ definition: { spec } }) => spec.names.kind === manifest.kind && manifest.apiVersion.startsWith(`${spec.group}/`),
    );
    if (!found) throw new Error(`no definition of ${manifest.kind} in ${manifest.apiVersion}`);
    const { scope, names } = found.definition.spec;
    const isNamespaced = scope === 'Namespaced';
    const { namespace: _, ...metadata } = manifest.metadata;
    const path = `/apis/${manifest.apiVersion}/${isNamespaced ? `namespaces/${ns.name}/` : ''}${names.plural}`;
    return subject.admin.post(`${path}?dryRun=All&fieldValidation=${fieldValidation}`, { ...manifest, metadata });
  };

  it.each(valid)('accepts $file', async ({ documents }) => {
    for (const document of documents) {
      const answer = await dryCreate(document, 'Strict');
      expect(answer.status, answer.body.message).toBe(201);
    }
  });

  it.each(invalid)('refuses $file for the field it expects', async ({ documents, text }) => {
    const field = /^# expect: (\S+)/.exec(text)?.[1];
    expect(field, 'the first line says `# expect: <field path>`').toBeDefined();
    const [document] = documents;
    // Unknown fields are ignored, so that the schema itself rejects the object and not a strict decoder.
    const answer = await dryCreate(document as Manifest, 'Ignore');
    expect(answer.status, answer.text).toBe(422);
    expect(answer.body.details.causes.map((cause) => cause.field)).toContain(field);
  });
});

interface YamlFile {
  readonly file: string;
  readonly text: string;
  readonly documents: readonly Manifest[];
}

/** Returns the YAML files in a folder and its subfolders. */
function yamlFiles(folder: string): YamlFile[] {
  const root = join(ROOT, folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return { file: basename(file), text, documents: parseYaml(text) as Manifest[] };
    });
}
