import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lockFor } from './package-lock.mjs';

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

const root = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as Lock;
const manifest = {
  name: 'outrigger',
  version: '1.0.0',
  license: 'x',
  dependencies: { lmdb: root.packages['node_modules/lmdb']?.version ?? '' },
};

describe('the lock file of the image', () => {
  const lock = lockFor(root, manifest) as Lock;
  const installed = Object.entries(lock.packages).filter(([path]) => path !== '');

  it('has every package that another one of it needs, with a digest', () => {
    expect(installed.length).toBeGreaterThan(3);
    for (const [path, { dependencies = {}, integrity }] of installed) {
      expect(integrity, path).toMatch(/^sha512-/);
      for (const name of Object.keys(dependencies)) expect(lock.packages, `${path} needs ${name}`).toHaveProperty([`node_modules/${name}`]);
    }
  });

  it('has the versions of the repository', () => {
    for (const [path, { version }] of installed) expect(version, path).toBe(root.packages[path]?.version);
  });

  it('has none that the command does not need', () => {
    expect(Object.keys(lock.packages)).not.toContain('node_modules/typescript');
  });
});

describe('the Dockerfile', () => {
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');

  it('installs by lock file only, from a base that a build argument can pin', () => {
    expect(dockerfile).not.toMatch(/npm install/);
    expect(dockerfile.match(/^FROM .*/gm)).toEqual(['FROM ${NODE_IMAGE} AS build', 'FROM ${NODE_IMAGE}']);
    expect(dockerfile).not.toContain(':latest');
  });
});
