import { readFileSync } from 'node:fs';
import {
  type FieldDefinition,
  KIND_DEFINITIONS,
  type KindDefinition,
  type KindVersion,
  type ObjectDefinition,
  rootObject,
  rootSchema,
} from '@outrigger/api';
import type { StructuralSchema } from '@outrigger/core/schema';
import { type GeneratedFile, MARK } from './files.js';
import { constraints, typeName } from './doc-text.js';
import { objectOf } from './walk.js';

const FOLDER = 'docs/reference';
const HEADER = `<!-- ${MARK} -->\n\n`;
const SHARED = 'shared-types';

/** Returns one page per kind, one for the types that several kinds share, and an index. */
export function docFiles(): GeneratedFile[] {
  const shared = new Map<string, ObjectDefinition>();
  const pages = KIND_DEFINITIONS.map((definition) => page(definition.kind.toLowerCase(), kindPage(definition, shared)));
  return [...pages, page(SHARED, sharedPage([...shared.values()])), page('README', indexPage())];
}

function page(name: string, text: string): GeneratedFile {
  return { path: `${FOLDER}/${name}.md`, text: `${HEADER}${text}` };
}

function indexPage(): string {
  const rows = KIND_DEFINITIONS.map(
    ({ kind, group, versions: [stored] }) => `| [${kind}](${kind.toLowerCase()}.md) | ${group} | ${stored.description} |`,
  );
  return `# Kinds\n\n| kind | group | what it is |\n|---|---|---|\n${rows.join('\n')}\n\nTypes several kinds use: [shared types](${SHARED}.md).\n`;
}

function kindPage(definition: KindDefinition, shared: Map<string, ObjectDefinition>): string {
  const { kind, group, plural, namespaced, shortNames = [], versions, converted } = definition;
  const [stored, ...others] = versions;
  const facts = [
    `| resource | \`${plural}.${group}\` |`,
    `| scope | ${namespaced ? 'namespaced' : 'cluster'} |`,
    ...(shortNames.length > 0 ? [`| short names | ${shortNames.map((name) => `\`${name}\``).join(', ')} |`] : []),
    `| versions | ${versions.map(({ version }, index) => (index === 0 ? `\`${version}\` (stored)` : `\`${version}\``)).join(', ')} |`,
    ...(stored.columns ? [`| columns | ${stored.columns.map(({ name }) => name).join(', ')} |`] : []),
  ];
  const described = converted ? versions : [stored];
  return [
    `# ${kind}\n\n${stored.description}\n`,
    `| | |\n|---|---|\n${facts.join('\n')}\n`,
    ...(others.length > 0 && !converted ? [`All versions have the same fields.\n`] : []),
    `## Sample\n\n\`\`\`yaml\n${sampleOf(kind)}\`\`\`\n`,
    ...described.map((version) => versionSection(version, shared)),
  ].join('\n');
}

/** Returns the sample object of a kind. `test/cli/reference-samples.test.ts` checks each of them as a hub would. */
export function sampleOf(kind: string): string {
  return readFileSync(new URL(`samples/${kind.toLowerCase()}.yaml`, import.meta.url), 'utf8');
}

function versionSection(version: KindVersion, shared: Map<string, ObjectDefinition>): string {
  const rows = fieldRows(rootObject(version).fields, '', shared);
  const rules = ruleRows(rootSchema(version), '');
  const ruleList = rules.length > 0 ? `\nRules:\n\n${rules.join('\n')}\n` : '';
  return `## ${version.version}\n\n| field | type | rules | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n${ruleList}`;
}

/** Returns a row per field, depth first. Shared types get a link instead of their fields. */
function fieldRows(fields: Readonly<Record<string, FieldDefinition>>, parent: string, shared: Map<string, ObjectDefinition>): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = parent === '' ? name : `${parent}.${name}`;
    const inner = objectOf(field.type);
    if (inner?.fromCore) shared.set(inner.name, inner);
    const type = inner?.fromCore ? `[${typeName(field.type)}](${SHARED}.md#${inner.name.toLowerCase()})` : typeName(field.type);
    const row = `| \`${path}\` | ${type} | ${constraints(field)} | ${cell(field.description)} |`;
    return inner && !inner.fromCore ? [row, ...fieldRows(inner.fields, path + suffix(field), shared)] : [row];
  });
}

function suffix({ type }: FieldDefinition): string {
  if (type.form.type === 'list') return '[]';
  return type.form.type === 'map' ? '.*' : '';
}

function ruleRows(schema: StructuralSchema, path: string): string[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ message, fieldPath = '', rule }) => {
    const where = `${path}${fieldPath}`.replace(/^\./, '');
    return `- ${where === '' ? '' : `\`${where}\`: `}${message ?? rule}`;
  });
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => ruleRows(field, `${path}.${name}`));
  return [...own, ...fields, ...(schema.items ? ruleRows(schema.items, `${path}[]`) : [])];
}

function sharedPage(objects: readonly ObjectDefinition[]): string {
  const known = new Map(objects.map((object) => [object.name, object]));
  const sections = objects.map((object) => {
    const rows = fieldRows(object.fields, '', known);
    return `## ${object.name}\n\n${object.description}\n\n| field | type | rules | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `# Shared types\n\n${sections.join('\n')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
