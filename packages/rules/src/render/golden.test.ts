import type { AddOnDeploymentConfigSpec } from '@outrigger/api';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { TemplateRegistration } from '@outrigger/api';
import type { Json } from '@outrigger/core';
import { parseYamlDocument, toYaml } from '@outrigger/core/yaml';
import { describe, expect, it } from 'vitest';
import { credentialMounts } from './credentials.js';
import type { ImageRegistry } from '../observed/clusters.js';
import { type Rendered, render } from './render.js';
import { NEWEST_RENDERER, RENDERERS, type Renderer } from './renderers.js';
import { compileTemplate } from './template.js';

/**
 * `golden/<rule>.input.yaml` renders to `golden/<rule>.output.yaml`. If an earlier renderer produces different output, that output is in
 * `golden/<rule>.output-<number>.yaml`. UPDATE_GOLDEN=1 rewrites the outputs; review the difference.
 */
interface Case {
  readonly about: string;
  readonly cluster?: string;
  readonly installNamespace?: string;
  readonly settings?: AddOnDeploymentConfigSpec;
  readonly clusterRegistries?: readonly ImageRegistry[];
  readonly registration?: readonly TemplateRegistration[];
  readonly manifests: readonly Json[];
}

const folder = new URL('./golden/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.input.yaml'))
  .map((file) => file.replace('.input.yaml', ''));
const load = (name: string): Case => parseYamlDocument(readFileSync(new URL(`${name}.input.yaml`, folder), 'utf8')) as Case;

function renderedBy(renderer: Renderer, input: Case): Rendered {
  const template = compileTemplate(input.manifests);
  if ('problems' in template) return template;
  return render({
    renderer,
    addOnName: 'hello',
    clusterName: input.cluster ?? 'cluster1',
    template,
    credentials: credentialMounts('hello', input.registration ?? []),
    installNamespace: input.installNamespace,
    settings: input.settings ?? {},
    clusterRegistries: input.clusterRegistries ?? [],
  });
}

/** The file with the expected output of a renderer. */
function outputFile(name: string, { number }: Renderer): URL {
  const own = new URL(`${name}.output-${number}.yaml`, folder);
  return number !== NEWEST_RENDERER && existsSync(own) ? own : new URL(`${name}.output.yaml`, folder);
}

function update(name: string): void {
  const texts = RENDERERS.map((renderer) => ({ number: renderer.number, text: toYaml(renderedBy(renderer, load(name))) }));
  const newest = texts.find(({ number }) => number === NEWEST_RENDERER)?.text ?? '';
  writeFileSync(new URL(`${name}.output.yaml`, folder), newest);
  for (const { number, text } of texts) {
    const own = new URL(`${name}.output-${number}.yaml`, folder);
    if (text !== newest) writeFileSync(own, text);
    else rmSync(own, { force: true });
  }
}

describe('rendering, rule by rule', () => {
  for (const renderer of RENDERERS) {
    it.each(names.map((name) => ({ name, about: load(name).about })))(`renderer ${renderer.number}: $about ($name)`, ({ name }) => {
      if (process.env['UPDATE_GOLDEN']) update(name);
      expect(renderedBy(renderer, load(name))).toEqual(parseYamlDocument(readFileSync(outputFile(name, renderer), 'utf8')));
    });
  }
});
