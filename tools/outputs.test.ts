import { closeSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeOutputs } from './outputs.mjs';

describe('a build into a folder that a process runs from', () => {
  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'outrigger-outputs-'));
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  const build = (files: Readonly<Record<string, string | Uint8Array>>): void => {
    const outdir = join(parent, 'out');
    writeOutputs(
      outdir,
      Object.entries(files).map(([name, text]) => ({ path: join(outdir, name), contents: text })),
    );
  };

  it('leaves a file alone that has its content already, whether it was given as text or as bytes', () => {
    build({ 'main.js': 'one', 'deep/chunk.js': Buffer.from('two') });
    const before = ['main.js', 'deep/chunk.js'].map((name) => statSync(join(parent, 'out', name)).ino);
    build({ 'main.js': Buffer.from('one'), 'deep/chunk.js': 'two' });
    expect(['main.js', 'deep/chunk.js'].map((name) => statSync(join(parent, 'out', name)).ino)).toEqual(before);
  });

  it('replaces a file, so that a process that has opened it reads the earlier content to its end', () => {
    build({ 'main.js': 'the first build' });
    const opened = openSync(join(parent, 'out', 'main.js'), 'r');
    build({ 'main.js': 'second' });
    expect(readFileSync(opened, 'utf8')).toBe('the first build');
    closeSync(opened);
    expect(readFileSync(join(parent, 'out', 'main.js'), 'utf8')).toBe('second');
  });

  it('leaves nothing but the outputs, and files of earlier builds', () => {
    build({ 'chunk-1.js': 'one', 'main.js': 'one' });
    build({ 'chunk-2.js': 'two', 'main.js': 'two' });
    expect(readdirSync(parent)).toEqual(['out']);
    expect(readdirSync(join(parent, 'out')).sort()).toEqual(['chunk-1.js', 'chunk-2.js', 'main.js']);
  });
});
