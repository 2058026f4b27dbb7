import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import type { TemplateRegistration } from '@outrigger/api';
import type { Json } from '@outrigger/core';
import { parseYamlDocument, toYaml } from '@outrigger/core/yaml';
import { describe, expect, it } from 'vitest';
import { credentialMounts } from './credentials.js';
import type { ImageRegistry } from './images.js';
import { type DeploymentSettings, render } from './render.js';
import { compileTemplate } from './template.js';

/** `golden/<rule>.input.yaml` renders to `golden/<rule>.output.yaml`. UPDATE_GOLDEN=1 rewrites the outputs; read the difference. */
interface Case {
  readonly about: string;
  readonly cluster?: string;
  readonly installNamespace?: string;
  readonly settings?: DeploymentSettings;
  readonly clusterRegistries?: readonly ImageRegistry[];
  readonly registration?: readonly TemplateRegistration[];
  readonly manifests: readonly Json[];
}

const folder = new URL('./golden/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.input.yaml'))
  .map((file) => file.replace('.input.yaml', ''));
const load = (name: string): Case => parseYamlDocument(readFileSync(new URL(`${name}.input.yaml`, folder), 'utf8')) as Case;

describe('rendering, rule by rule', () => {
  it.each(names.map((name) => ({ name, about: load(name).about })))('$about ($name)', ({ name }) => {
    const input = load(name);
    const template = compileTemplate(input.manifests);
    const output =
      'problems' in template
        ? template
        : render({
            addOnName: 'hello',
            clusterName: input.cluster ?? 'cluster1',
            template,
            credentials: credentialMounts('hello', input.registration ?? []),
            installNamespace: input.installNamespace,
            settings: input.settings ?? {},
            clusterRegistries: input.clusterRegistries ?? [],
          });
    const file = new URL(`${name}.output.yaml`, folder);
    if (process.env['UPDATE_GOLDEN']) writeFileSync(file, toYaml(output));
    expect(output).toEqual(parseYamlDocument(readFileSync(file, 'utf8')));
  });
});
