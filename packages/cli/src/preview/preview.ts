import { type ManifestWork, createValidator } from '@outrigger/api';
import { type JsonObject, type KubeObject, nameOf } from '@outrigger/core';
import { createRuleCompiler } from '@outrigger/core/cel';
import { type PreviewInput, preview as previewByRules } from '@outrigger/rules/preview';
import { manifestsOf } from '@outrigger/rules/works';
import { CommandError, EXIT } from '../failure.js';
import type { FileObject } from '../fleet/files.js';
import { unknownField } from '../lint/known-fields.js';
import { unknownKind } from '../lint/known-kinds.js';
import { pathOf, stepsOf } from '../lint/path.js';
import { schemaProblems } from '../lint/schema-problems.js';
import { inNamespace } from './input.js';

export interface Preview {
  readonly works: readonly ManifestWork[];
  readonly manifests: readonly JsonObject[];
  readonly version: string;
}

/**
 * Returns the works that the cluster would get, computed by the hub's own rules. The objects are first validated and defaulted, as an API
 * server does when they are created.
 */
export function preview(input: PreviewInput): Preview {
  const stored = asStored();
  const { managementAddOn, templates, configs, cluster, clusterAddOn, entry } = input;
  const found = previewByRules({
    managementAddOn: stored(managementAddOn),
    templates: templates.map(stored),
    configs: configs.map(stored),
    cluster: stored(cluster),
    clusterAddOn: clusterAddOn && stored(clusterAddOn),
    entry,
  });
  const where = `${nameOf(managementAddOn)} on ${nameOf(cluster)}`;
  switch (found.type) {
    case 'problem':
      throw new CommandError(`${where}: ${found.message}`, EXIT.no);
    case 'another manager':
      throw new CommandError(`${where}: the declaration leads to no AddOnTemplate, so another manager renders the add-on`, EXIT.failed);
    case 'rendered':
      return { works: found.works, manifests: manifestsOf(found.works), version: found.version };
  }
}

/**
 * Returns a function that converts an object to what an API server would store when it is created: valid, with defaults, and without a
 * status.
 */
export function asStored(): <T extends KubeObject>(object: T) => T {
  const validator = createValidator(createRuleCompiler());
  return <T extends KubeObject>(object: T): T => {
    const created = fresh(object);
    const checked = validator.check(created);
    if (!checked) return object;
    if (checked.errors.length > 0)
      throw invalidObjects(schemaProblems(created, checked.errors).map((text) => `${described(object)}: ${text}`));
    return checked.object as T;
  };
}

/**
 * Fails, with the messages of `lint`, if an API server would not store one of the objects or would drop one of its fields. A preview that
 * ignores a misspelled field would differ from what the hub does.
 */
export function requireStorable(files: readonly FileObject[]): void {
  const validator = createValidator(createRuleCompiler());
  const lines = files.flatMap(({ object, file, lineOf }) => {
    const created = fresh(inNamespace(object));
    const checked = validator.check(created);
    const problems = checked
      ? [
          ...(checked.errors.length === 0 ? [] : schemaProblems(created, checked.errors)),
          ...checked.unknownFields.map((field) => unknownField(field, validator.schemaOf(created))),
        ]
      : [unknownKind(object)];
    return problems.flatMap((text) =>
      text === undefined ? [] : [`${file}:${lineOf(stepsOf(pathOf(text)))}: ${described(object)}: ${text}`],
    );
  });
  if (lines.length > 0) throw invalidObjects(lines);
}

function invalidObjects(lines: readonly string[]): CommandError {
  return new CommandError(lines.join('\n'), EXIT.failed);
}

function described({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name ?? '(no name)'}`;
}

/** Returns an object from a file or another server without its status and without the metadata that its server set. */
function fresh<T extends KubeObject>(object: T): T {
  const { name, namespace, labels, annotations } = object.metadata;
  const { status: _, ...rest } = object as T & { readonly status?: unknown };
  const metadata = {
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : {}),
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
  };
  return { ...rest, metadata } as unknown as T;
}
