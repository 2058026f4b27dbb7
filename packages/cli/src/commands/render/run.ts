import { ADDON_NAME_LABEL, manifestWorks } from '@outrigger/api';
import { type JsonObject, shell, withoutManagedFields } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { manifestsOf } from '@outrigger/rules/works';
import { CommandError, EXIT, notFound } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { readObjects } from '../../fleet/files.js';
import { listOf } from '../../fleet/objects.js';
import { ifAllowed } from '../../fleet/readable.js';
import { objectsOfFiles, objectsOfHub, previewInput } from '../../preview/input.js';
import { preview, requireStorable } from '../../preview/preview.js';
import { redact } from '../../preview/redact.js';
import { formatValue } from '../../terminal/format.js';
import type { CommandContext } from '../context.js';
import type { RenderOptions } from './command.js';

export async function render(
  context: CommandContext,
  request: ConnectionOptions & RenderOptions & { readonly addOn?: string },
): Promise<void> {
  const { terminal } = context;
  const { manifests, works } = await rendered(context, request);
  const shown: readonly unknown[] = request.works ? works.map(workOf) : manifests.map(redact);
  if (request.output === 'json') return terminal.out(formatValue(shown, 'json'));
  terminal.out(shown.map((manifest) => `---\n${formatValue(manifest, 'yaml')}`).join(''));
}

type Rendered = Pick<ReturnType<typeof preview>, 'manifests' | 'works'>;

async function rendered(
  context: CommandContext,
  request: ConnectionOptions & RenderOptions & { readonly addOn?: string },
): Promise<Rendered> {
  if (request.filename) {
    const files = await readObjects(request.filename, context);
    requireStorable(files);
    return preview(previewInput(objectsOfFiles(files.map(({ object }) => object)), request));
  }
  return withHub(context, request, async (hub) => {
    if (request.cluster !== undefined) await requireClusters(hub, [request.cluster]);
    const objects = await ifAllowed(objectsOfHub(hub, request.cluster));
    if (objects) return preview(previewInput(objects, request));
    return sentManifests(hub, context, request);
  });
}

/** Returns the part of an error message that tells a cluster owner, who may not read templates, how to use this command. */
function permitted(addOn: string | undefined, cluster: string | undefined): string {
  if (addOn === undefined || cluster === undefined) return 'name the add-on, and your cluster with --cluster,';
  return `use \`${shell`outrigger render ${addOn} --cluster ${cluster}`}\``;
}

/** Returns the manifests in the add-on's works on the hub. It is used for cluster owners, who may not read the templates. */
async function sentManifests(
  hub: Client,
  { terminal }: CommandContext,
  { addOn, cluster, to, placement }: RenderOptions & { readonly addOn?: string },
): Promise<Rendered> {
  const what = 'your rights do not include declarations and templates';
  if (addOn === undefined || cluster === undefined || to !== undefined || placement !== undefined)
    throw new CommandError(`${what}: ${permitted(addOn, cluster)} to see what the hub sends to your cluster`, EXIT.failed);
  const works = (await listOf(hub, manifestWorks, cluster)).filter(({ metadata }) => metadata.labels?.[ADDON_NAME_LABEL] === addOn);
  if (works.length === 0)
    throw notFound(`the hub sends nothing of ${addOn} to ${cluster}: \`${shell`outrigger why ${addOn} --cluster ${cluster}`}\``);
  terminal.note(`${what}: these are the manifests that the hub sends now\n`);
  return { manifests: manifestsOf(works), works };
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
