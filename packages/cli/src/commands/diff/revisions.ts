import { type AddOnRollout, type RevisionConfig, type RolloutTarget, configName, controllerRevisions } from '@outrigger/api';
import { type JsonObject, isApiError, isJsonObject, shell, nameOf, collect, objectOrEmpty } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { isTemplate, toRef } from '@outrigger/rules/configuration';
import { CONTENT_LABEL } from '@outrigger/rules/observed';
import { usageError } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { namedRevision } from '../../fleet/revisions.js';
import { requireRollout } from '../../fleet/rollouts.js';
import { redact } from '../../preview/redact.js';
import type { CommandContext } from '../context.js';
import { diffManifests, printChanges } from './changes.js';
import type { DiffOptions } from './command.js';

/** Shows the difference between the stored contents of two revisions. Templates are compared manifest by manifest, before rendering. */
export async function diffRevisions(
  context: CommandContext,
  request: ConnectionOptions & DiffOptions & { readonly addOn?: string; readonly revisions: string },
): Promise<void> {
  const { addOn } = request;
  if (addOn === undefined) throw usageError('which add-on? Name it before --revisions');
  const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(request.revisions) ?? [];
  if (from === undefined || to === undefined)
    throw usageError(
      `--revisions ${request.revisions}: write two revision numbers with two dots between them, such as 3..5; \`${shell`outrigger rollout history ${addOn}`}\` lists them`,
    );
  const other = (['cluster', 'placement', 'to', 'filename'] as const).find((option) => request[option] !== undefined);
  if (other !== undefined) throw usageError(`--revisions compares stored contents and takes no --${other}`);
  const [before, after] = await withHub(context, request, async (hub) => {
    const rollout = await requireRollout(hub, addOn);
    const targets = [namedRevision(rollout, Number(from)), namedRevision(rollout, Number(to))];
    const contents = await storedContents(hub, context);
    return targets.map((target) => objectsOf(rollout, target, contents));
  });
  printChanges(context, diffManifests((before ?? []).map(redact), (after ?? []).map(redact)), request.output);
}

/** Returns the stored contents by digest. If the user may not read them, only digests are compared. */
async function storedContents(hub: Client, { terminal }: CommandContext): Promise<ReadonlyMap<string, JsonObject>> {
  try {
    const stored = await collect(hub.listAll(controllerRevisions, { labelSelector: CONTENT_LABEL }));
    return new Map(stored.map(({ metadata, data }) => [metadata.annotations?.[CONTENT_LABEL] ?? '', data ?? {}]));
  } catch (error) {
    if (!isApiError(error, 'Forbidden')) throw error;
    terminal.note('you may not read the stored contents (ControllerRevisions), so only their digests are compared\n');
    return new Map();
  }
}

function objectsOf(rollout: AddOnRollout, target: RolloutTarget, contents: ReadonlyMap<string, JsonObject>): readonly JsonObject[] {
  const { version = '', renderer, configs = [] } = target;
  const revision: JsonObject = {
    kind: 'Revision',
    metadata: { name: nameOf(rollout) },
    version,
    ...(renderer === undefined ? {} : { renderer }),
    configs: configs.map(configName),
  };
  return [revision, ...configs.flatMap((config) => configObjects(nameOf(rollout), config, contents.get(config.specHash)))];
}

function configObjects(addOn: string, config: RevisionConfig, content: JsonObject | undefined): readonly JsonObject[] {
  const { resource, namespace, name, specHash } = config;
  const metadata = { ...(namespace ? { namespace } : {}), name };
  if (!content) return [{ kind: resource, metadata, specHash: specHash === '' ? 'the object did not exist' : specHash }];
  if (!isTemplate(toRef(config))) return [{ kind: resource, metadata, ...content }];
  const { manifests, rest } = templateParts(content);
  // The templates of two versions usually have different names, so the comparison uses the name of the add-on for both.
  return [{ kind: 'AddOnTemplate', metadata: { name: addOn }, ...rest }, ...manifests];
}

/** Splits a template into its manifests and its other fields. */
function templateParts(content: JsonObject): { readonly manifests: readonly JsonObject[]; readonly rest: JsonObject } {
  const spec = objectOrEmpty(content['spec']);
  const agentSpec = objectOrEmpty(spec['agentSpec']);
  const { manifests, ...workload } = objectOrEmpty(agentSpec['workload']);
  return {
    manifests: Array.isArray(manifests) ? manifests.filter(isJsonObject) : [],
    rest: { ...content, spec: { ...spec, agentSpec: { ...agentSpec, workload } } },
  };
}
