import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type KubeObject, errorMessage, isJsonObject, objectOrEmpty } from '@outrigger/core';
import { type YamlDocument, YamlExpansionError, readYamlDocuments } from '@outrigger/core/yaml';
import { readText } from '@outrigger/kube/node';
import type { CommandContext } from '../commands/context.js';
import { CommandError, EXIT, notFound } from '../failure.js';

/** An object from a file, with its position in the file. */
export interface FileObject {
  readonly object: KubeObject;
  readonly file: string;
  readonly line: number;
  /** Returns the line of a field, or of its closest parent that is set. */
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** A part of a file that is not an object. */
export interface FileProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** The part of a command's context that is needed to read files. */
type FileInput = Pick<CommandContext, 'stdin' | 'signal'>;

export interface ReadFiles {
  readonly objects: readonly FileObject[];
  readonly problems: readonly FileProblem[];
}

const NO_OBJECT = 'there is no object in this file: is it the right one?';
const EXTENSIONS = /\.(ya?ml|json)$/;

/** Reads the objects in files and folders (one level deep; `-` is standard input). Lists are split into their items. */
export async function readObjects(paths: readonly string[], input: FileInput): Promise<readonly FileObject[]> {
  const { objects, problems } = await readFiles(paths, input);
  if (problems.length > 0)
    throw new CommandError(problems.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n'), EXIT.no);
  return objects;
}

/** Reads all files, like `readObjects`, even if some of them cannot be parsed as objects. */
export async function readFiles(paths: readonly string[], input: FileInput): Promise<ReadFiles> {
  const read: ReadFiles[] = [];
  for (const path of paths) {
    const found = (await readTexts(path, input)).map(({ file, text }) => ({ file, ...objectsIn(text, file) }));
    // An empty file in a folder is not an error if another file has objects.
    const isEmpty = found.every((one) => one.objects.length === 0 && one.problems.length === 0);
    read.push(joined(isEmpty ? found.map(({ file }) => ({ objects: [], problems: [{ file, line: 1, message: NO_OBJECT }] })) : found));
  }
  return joined(read);
}

async function readTexts(path: string, { stdin, signal }: FileInput): Promise<readonly { file: string; text: string }[]> {
  if (path === '-') return [{ file: 'standard input', text: await stdin() }];
  const info = await stat(path).catch((error: unknown) => {
    throw notFound(`${path}: ${isMissing(error) ? 'no such file or folder' : errorMessage(error)}`);
  });
  if (!info.isDirectory()) return [{ file: path, text: await readFile(path, signal) }];
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries
    .map(({ name }) => name)
    .filter((name) => EXTENSIONS.test(name) && !/^kustomization\.ya?ml$/.test(name))
    .sort();
  if (names.length === 0) {
    const [inner] = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    throw notFound(
      `${path}: no .yaml, .yml or .json file in this folder${inner === undefined ? '' : `: name one further down, such as ${join(path, inner)}`}`,
    );
  }
  return Promise.all(names.map(async (name) => ({ file: join(path, name), text: await readFile(join(path, name), signal) })));
}

async function readFile(path: string, signal: AbortSignal): Promise<string> {
  try {
    return await readText(path, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new Error(`${path}: cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

function objectsIn(text: string, file: string): ReadFiles {
  const { documents, problems } = parseText(text, file);
  const found = documents.map(({ value, line, lineOf }): ReadFiles => {
    if (!isJsonObject(value) || value['kind'] !== 'List' || !Array.isArray(value['items'])) return objectIn(value, { file, line, lineOf });
    const items = (value['items'] as unknown[]).map((item, index) =>
      objectIn(item, { file, line: lineOf(['items', index]), lineOf: (path) => lineOf(['items', index, ...path]) }),
    );
    return joined(items);
  });
  return joined([{ objects: [], problems }, ...found]);
}

/** `push(...)` is not used, because a file may have more documents than a call can have arguments. */
function joined(parts: readonly ReadFiles[]): ReadFiles {
  return { objects: parts.flatMap(({ objects }) => objects), problems: parts.flatMap(({ problems }) => problems) };
}

function parseText(text: string, file: string): { readonly documents: readonly YamlDocument[]; readonly problems: readonly FileProblem[] } {
  const found = notText(text);
  if (found !== undefined) return { documents: [], problems: [{ file, ...found }] };
  try {
    const { documents, problems } = readYamlDocuments(text, { file });
    return {
      documents,
      problems: problems.map(({ line, column, message }) => ({
        file,
        line,
        message: `column ${column}: ${message}: the file is not valid YAML`,
      })),
    };
  } catch (error) {
    if (error instanceof YamlExpansionError) return { documents: [], problems: [{ file, line: 1, message: error.message }] };
    throw error;
  }
}

/** Returns the line and a message if the file is not text in UTF-8, such as a program or an archive; otherwise undefined. */
function notText(text: string): { readonly line: number; readonly message: string } | undefined {
  // U+FFFD replaces bytes that are not UTF-8. YAML allows no control characters but tab, line feed and carriage return.
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  const at = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffd]/);
  if (at < 0) return undefined;
  const line = text.slice(0, at).split('\n').length;
  return { line, message: 'this is not a text file in UTF-8: name a YAML or JSON file, or save it as UTF-8' };
}

function objectIn(value: unknown, place: Omit<FileObject, 'object'>): ReadFiles {
  if (isJsonObject(value) && typeof value['apiVersion'] === 'string' && typeof value['kind'] === 'string') {
    const object = { ...value, metadata: objectOrEmpty(value['metadata']) } as unknown as KubeObject;
    return { objects: [{ object, ...place }], problems: [] };
  }
  return { objects: [], problems: [{ file: place.file, line: place.line, message: notAnObject(value) }] };
}

function notAnObject(value: unknown): string {
  if (!isJsonObject(value)) return 'not a Kubernetes object: it must be a map with apiVersion, kind and metadata';
  const missing = ['apiVersion', 'kind'].filter((key) => typeof value[key] !== 'string');
  const typos = missing.flatMap((key) => {
    const written = Object.keys(value).find((one) => one !== key && one.toLowerCase() === key.toLowerCase());
    return written === undefined ? [] : [`; write ${key} instead of ${written}`];
  });
  return `not a Kubernetes object: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing${typos.join('')}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
