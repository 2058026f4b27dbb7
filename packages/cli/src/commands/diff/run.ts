import { ADDON_NAME_LABEL, manifestWorks, movedAgentWarnings } from '@outrigger/api';
import { type JsonObject, isJsonObject } from '@outrigger/core';
import { CommandError, EXIT } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { readObjects } from '../../fleet/files.js';
import { listOf, nameOf } from '../../fleet/objects.js';
import { lookupIn } from '../../lint/lookup.js';
import { objectsOfFiles, objectsOfHub, overlay, previewInput } from '../../preview/input.js';
import { hunks, lineDiff } from '../../preview/line-diff.js';
import { manifestsOf, preview } from '../../preview/preview.js';
import { redact } from '../../preview/redact.js';
import { clean } from '../../terminal/clean.js';
import { formatValue } from '../../terminal/format.js';
import type { CommandContext } from '../context.js';
import type { DiffOptions } from './command.js';

const AROUND = 3;

/** Shows the difference between the manifests in the cluster's works on the hub and the manifests that it would get. */
export async function diff(context: CommandContext, request: ConnectionOptions & DiffOptions & { readonly addOn?: string }): Promise<void> {
  const files = request.filename ? (await readObjects(request.filename, context.stdin)).map(({ object }) => object) : [];
  const { before, after, warnings } = await withHub(context, request, async (hub) => {
    await requireClusters(hub, [request.cluster]);
    const input = previewInput(overlay(await objectsOfHub(hub, request.cluster), objectsOfFiles(files)), {
      ...request,
      // Without an add-on on the command line, use the one that the files declare.
      ...(request.addOn === undefined ? declaredName(files) : {}),
    });
    const works = (await listOf(hub, manifestWorks, request.cluster)).filter(
      ({ metadata }) => metadata.labels?.[ADDON_NAME_LABEL] === nameOf(input.managementAddOn),
    );
    const { manifests } = preview(input);
    const lookup = lookupIn([input.managementAddOn, ...input.templates, ...input.configs]);
    return {
      before: manifestsOf(works),
      after: manifests,
      warnings: movedAgentWarnings(input.managementAddOn, input.clusterAddOn, lookup),
    };
  });
  const changes = diffManifests(before.map(redact), after.map(redact));
  const { terminal } = context;
  for (const warning of warnings) terminal.note(`warning: ${clean(warning)}\n`);
  for (const { name, lines } of changes) {
    terminal.out(`${terminal.style.bold(clean(name))}\n`);
    for (const line of lines) {
      if (line === 'gap') terminal.out(`${terminal.style.dim('  ...')}\n`);
      else terminal.out(`${colour(line.sign, terminal.style)(`${line.sign} ${clean(line.text)}`)}\n`);
    }
  }
  if (changes.length > 0)
    throw new CommandError(`${changes.length} ${changes.length === 1 ? 'object differs' : 'objects differ'}`, EXIT.no);
}

function declaredName(files: readonly { readonly kind: string; readonly metadata: { readonly name?: string } }[]): { addOn?: string } {
  const names = files.flatMap(({ kind, metadata }) =>
    kind === 'ClusterManagementAddOn' && metadata.name !== undefined ? [metadata.name] : [],
  );
  return names.length === 1 && names[0] !== undefined ? { addOn: names[0] } : {};
}

export function diffManifests(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): readonly { readonly name: string; readonly lines: ReturnType<typeof hunks> }[] {
  const old = new Map(before.map((manifest) => [manifestName(manifest), manifest]));
  const next = new Map(after.map((manifest) => [manifestName(manifest), manifest]));
  return [...new Set([...old.keys(), ...next.keys()])].sort().flatMap((name) => {
    const lines = lineDiff(text(old.get(name)), text(next.get(name)));
    return lines.every(({ sign }) => sign === ' ') ? [] : [{ name, lines: hunks(lines, AROUND) }];
  });
}

function text(manifest: JsonObject | undefined): string {
  return manifest ? formatValue(manifest, 'yaml').trimEnd() : '';
}

function manifestName(manifest: JsonObject): string {
  const metadata = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  const namespace = typeof metadata['namespace'] === 'string' ? `${metadata['namespace']}/` : '';
  return `${String(manifest['kind'])} ${namespace}${String(metadata['name'])}`;
}

function colour(sign: ' ' | '-' | '+', style: CommandContext['terminal']['style']): (text: string) => string {
  return sign === '+' ? style.good : sign === '-' ? style.bad : (plain) => plain;
}
