import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KIND_DEFINITIONS, createValidator } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { createRuleCompiler } from '@outrigger/core/cel';
import { parseYamlDocument } from '@outrigger/core/yaml';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { describe, expect, it } from 'vitest';
import { runCommand } from './world.js';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe('samples of the reference', () => {
  const validator = createValidator(createRuleCompiler());
  it.each(KIND_DEFINITIONS.map(({ kind }) => kind))('%s: the page shows the sample, and a hub accepts it', (kind) => {
    const text = readFileSync(file(`tools/gen/samples/${kind.toLowerCase()}.yaml`), 'utf8');
    expect(readFileSync(file(`docs/reference/${kind.toLowerCase()}.md`), 'utf8')).toContain(`## Sample\n\n\`\`\`yaml\n${text}\`\`\``);
    const object = parseYamlDocument(text) as KubeObject;
    expect(object.kind).toBe(kind);
    expect(validator.check(object)).toMatchObject({ errors: [], unknownFields: [] });
  });

  it('lint finds nothing in all of them together', async () => {
    const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
    expect(await runCommand(['lint', '-f', file('tools/gen/samples')], runtime)).toMatchObject({ code: 0, out: '' });
  });
});
