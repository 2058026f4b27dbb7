import { nameOf } from '@outrigger/core';
import { ADDON_NAME_LABEL, manifestWorks, movedAgentWarnings } from '@outrigger/api';
import { manifestsOf } from '@outrigger/rules/works';
import { usageError } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { readObjects } from '../../fleet/files.js';
import { listOf } from '../../fleet/objects.js';
import { lookupIn } from '../../lint/lookup.js';
import { objectsOfFiles, objectsOfHub, overlay, previewInput } from '../../preview/input.js';
import { preview, requireStorable } from '../../preview/preview.js';
import { redact } from '../../preview/redact.js';
import { clean } from '../../terminal/clean.js';
import type { CommandContext } from '../context.js';
import { diffManifests, printChanges } from './changes.js';
import type { DiffOptions } from './command.js';

/**
 * Shows the difference between the manifests in the cluster's works on the hub and the manifests that the hub would render for the cluster.
 */
export async function diff(context: CommandContext, request: ConnectionOptions & DiffOptions & { readonly addOn?: string }): Promise<void> {
  const { cluster } = request;
  if (cluster === undefined) throw usageError('which cluster? Add --cluster <name>; or compare two revisions with --revisions <a..b>');
  const read = request.filename ? await readObjects(request.filename, context) : [];
  requireStorable(read);
  const files = read.map(({ object }) => object);
  const { before, after, warnings } = await withHub(context, request, async (hub) => {
    await requireClusters(hub, [cluster]);
    const input = previewInput(overlay(await objectsOfHub(hub, cluster), objectsOfFiles(files)), {
      ...request,
      // If the command line names no add-on, use the one that the files declare.
      ...(request.addOn === undefined ? declaredName(files) : {}),
    });
    const works = (await listOf(hub, manifestWorks, cluster)).filter(
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
  for (const warning of warnings) context.terminal.note(`warning: ${clean(warning)}\n`);
  printChanges(context, changes, request.output);
}

function declaredName(files: readonly { readonly kind: string; readonly metadata: { readonly name?: string } }[]): { addOn?: string } {
  const names = files.flatMap(({ kind, metadata }) =>
    kind === 'ClusterManagementAddOn' && metadata.name !== undefined ? [metadata.name] : [],
  );
  return names.length === 1 && names[0] !== undefined ? { addOn: names[0] } : {};
}
