import type { JsonObject } from '@outrigger/core';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { readObjects } from '../../fleet/files.js';
import { objectsOfFiles, objectsOfHub, previewInput } from '../../preview/input.js';
import { preview } from '../../preview/preview.js';
import { redact } from '../../preview/redact.js';
import { formatValue, withoutManagedFields } from '../../terminal/format.js';
import type { CommandContext } from '../context.js';
import type { RenderOptions } from './command.js';

export async function render(
  context: CommandContext,
  request: ConnectionOptions & RenderOptions & { readonly addOn?: string },
): Promise<void> {
  const { terminal } = context;
  const objects = request.filename
    ? objectsOfFiles((await readObjects(request.filename, context.stdin)).map(({ object }) => object))
    : await withHub(context, request, async (hub) => {
        if (request.cluster !== undefined) await requireClusters(hub, [request.cluster]);
        return objectsOfHub(hub, request.cluster);
      });
  const { manifests, works } = await preview(previewInput(objects, request), await context.runtime());
  const shown: readonly unknown[] = request.works ? works.map(workOf) : manifests.map(redact);
  if (request.output === 'json') return terminal.out(formatValue(shown, 'json'));
  terminal.out(shown.map((manifest) => `---\n${formatValue(manifest, 'yaml')}`).join(''));
}

function workOf(work: Parameters<typeof withoutManagedFields>[0]): unknown {
  const { apiVersion, kind, metadata, ...rest } = withoutManagedFields(work);
  const spec = (rest as { readonly spec?: { readonly workload?: { readonly manifests?: readonly JsonObject[] } } }).spec;
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, labels, annotations },
    spec: { ...spec, workload: { manifests: (spec?.workload?.manifests ?? []).map(redact) } },
  };
}
