import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type KubeObject, errorMessage, isJsonObject } from '@outrigger/core';
import { parseYamlDocuments } from '@outrigger/core/yaml';
import { CommandError, EXIT, notFound } from '../failure.js';

/** An object from a file, with its position there. */
export interface FileObject {
  readonly object: KubeObject;
  readonly file: string;
  readonly line: number;
}

const EXTENSIONS = /\.(ya?ml|json)$/;

/** The objects of files and folders (one level deep; `-` is standard input). Lists are split into their items. */
export async function readObjects(paths: readonly string[], stdin: () => Promise<string>): Promise<readonly FileObject[]> {
  const found: FileObject[] = [];
  for (const path of paths) {
    for (const { file, text } of await readTexts(path, stdin)) found.push(...objectsIn(text, file));
  }
  return found;
}

async function readTexts(path: string, stdin: () => Promise<string>): Promise<readonly { file: string; text: string }[]> {
  if (path === '-') return [{ file: 'standard input', text: await stdin() }];
  const info = await stat(path).catch((error: unknown) => {
    throw notFound(`${path}: ${isMissing(error) ? 'no such file or folder' : errorMessage(error)}`);
  });
  if (!info.isDirectory()) return [{ file: path, text: await readFile(path, 'utf8') }];
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries
    .map(({ name }) => name)
    .filter((name) => EXTENSIONS.test(name) && name !== 'kustomization.yaml')
    .sort();
  if (names.length === 0) {
    const [inner] = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    throw notFound(
      `${path}: no .yaml, .yml or .json file in this folder${inner === undefined ? '' : `: name one further down, such as ${join(path, inner)}`}`,
    );
  }
  return Promise.all(names.map(async (name) => ({ file: join(path, name), text: await readFile(join(path, name), 'utf8') })));
}

function objectsIn(text: string, file: string): readonly FileObject[] {
  return parseYamlDocuments(text, { file }).flatMap(({ value, line }) => {
    const items =
      isJsonObject(value) && value['kind'] === 'List' && Array.isArray(value['items']) ? (value['items'] as unknown[]) : [value];
    return items.map((item) => ({ object: asObject(item, file, line), file, line }));
  });
}

function asObject(value: unknown, file: string, line: number): KubeObject {
  if (isJsonObject(value) && typeof value['apiVersion'] === 'string' && typeof value['kind'] === 'string') {
    return { ...value, metadata: isJsonObject(value['metadata']) ? value['metadata'] : {} } as unknown as KubeObject;
  }
  throw new CommandError(`${file}:${line}: not a Kubernetes object: apiVersion and kind are missing`, EXIT.no);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
