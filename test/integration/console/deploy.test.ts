import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toDocuments } from '../../../packages/cli/src/install/apply.js';
import { CONSOLE_RULES, consoleManifests } from './manifests.js';

const FILE = new URL('../../../deploy/console/console.yaml', import.meta.url);

it('deploy/console has the rights and the program of the console; UPDATE_GOLDEN=1 rewrites it', () => {
  const text = toDocuments(consoleManifests({ image: 'outrigger:0.1.0', host: 'console.example.com' }));
  if (process.env['UPDATE_GOLDEN']) writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});

it('the account of the console only reads, and reviews tokens and rights', () => {
  for (const { apiGroups = [], resources = [], verbs } of CONSOLE_RULES) {
    const isReview = /^auth(entication|orization)\.k8s\.io$/.test(apiGroups.join());
    expect(verbs.filter((verb) => !(isReview ? ['create'] : ['get', 'list', 'watch']).includes(verb))).toEqual([]);
    expect([...resources, ...verbs, ...apiGroups]).not.toContain('*');
    expect(resources).not.toContain('secrets');
  }
});
