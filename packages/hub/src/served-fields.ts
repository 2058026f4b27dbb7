import { addOnRollouts, addOnTemplates, clusterManagementAddOns, managedClusterAddOns, customResourceDefinitions } from '@outrigger/api';
import { type JsonObject, type Kind, type KubeObject, type Logger, errorMessage, isApiError, isJsonObject } from '@outrigger/core';
import type { AnyAction, AnyController, AnyDecision, Client } from '@outrigger/kube';

/** Fields that Outrigger adds to upstream's kinds, with the feature that needs each field. `[]` means the items of a list. */
const ADDED_FIELDS: readonly { readonly kind: Kind; readonly path: string; readonly feature: string }[] = [
  { kind: clusterManagementAddOns, path: 'spec.dependencies', feature: 'dependencies' },
  { kind: clusterManagementAddOns, path: 'spec.installStrategy.labelSelector', feature: 'install strategy ClusterLabelSelector' },
  {
    kind: clusterManagementAddOns,
    path: 'spec.installStrategy.placements[].addonTemplate',
    feature: 'settings of an install strategy for its add-ons',
  },
  { kind: clusterManagementAddOns, path: 'status.supportedVersions', feature: 'versions' },
  { kind: clusterManagementAddOns, path: 'status.defaultVersion', feature: 'versions' },
  { kind: clusterManagementAddOns, path: 'status.conditions', feature: 'conditions of declarations' },
  { kind: managedClusterAddOns, path: 'spec.installVersion', feature: 'versions' },
  { kind: managedClusterAddOns, path: 'status.currentVersion', feature: 'versions' },
  { kind: managedClusterAddOns, path: 'status.lastVersion', feature: 'versions' },
  { kind: managedClusterAddOns, path: 'status.installVersion', feature: 'versions' },
  { kind: managedClusterAddOns, path: 'status.kubeClientDriver', feature: 'token registration' },
  { kind: addOnTemplates, path: 'spec.registration[].kubeClient.hubPermissions[].roleRef', feature: 'hub permissions in the short form' },
];

/** A field that Outrigger adds but a kind's schema lacks, and the feature that does not work without it. */
export interface MissingField {
  readonly kind: string;
  readonly path: string;
  readonly feature: string;
}

/** Returns the fields that Outrigger adds but an installed schema lacks. The API server silently drops these fields. */
export function missingFields(plural: string, schema: unknown): readonly MissingField[] {
  return ADDED_FIELDS.filter(({ kind, path }) => kind.plural === plural && !hasField(schema, path.split('.'))).map(
    ({ kind, path, feature }) => ({ kind: kind.kind, path, feature }),
  );
}

/**
 * Knows which of Outrigger's additional fields are in the hub's CRDs. The API server silently drops fields that its CRDs lack, for example
 * if the CRDs are upstream's. Without this class, the controllers would write these fields in every pass.
 */
export class ServedFields {
  #unserved: readonly { readonly kind: Kind; readonly path: string }[] = [];

  /** Reads the CRDs and logs once which features are disabled. If the CRDs cannot be read, all fields count as served. */
  async read(client: Client, log: Logger): Promise<void> {
    await checkRecord(client, log);
    try {
      const schemas = new Map<Kind, unknown>();
      for (const kind of new Set(ADDED_FIELDS.map((field) => field.kind))) schemas.set(kind, await schemaOf(client, kind));
      const missing = ADDED_FIELDS.filter(({ kind, path }) => !hasField(schemas.get(kind), path.split('.')));
      this.#unserved = missing;
      if (missing.length === 0) return;
      const features = [...new Set(missing.map(({ feature }) => feature))];
      const fields = missing.map(({ kind, path }) => `${kind.kind} ${path}`);
      log.warn(
        { features, fields },
        'the definitions on this hub lack fields, so these features are off; install ours and restart to have them',
      );
    } catch (error) {
      log.info({ error: errorMessage(error) }, 'definitions could not be read; every field counts as served');
    }
  }

  /** Wraps a controller so that its status patches leave out the fields that the server would drop. */
  guard(controller: AnyController): AnyController {
    return { ...controller, decide: (state, now) => this.#without(controller.decide(state, now)) };
  }

  #without(decision: AnyDecision): AnyDecision {
    if (this.#unserved.length === 0) return decision;
    const stages = decision.stages.map((stage) => stage.flatMap((action) => this.#withoutIn(action))).filter((stage) => stage.length > 0);
    return { ...decision, stages };
  }

  #withoutIn(action: AnyAction): readonly AnyAction[] {
    if (action.type !== 'patch' || action.subresource !== 'status') return [action];
    const dropped = this.#unserved.filter(({ kind, path }) => kind.plural === action.kind.plural && path.startsWith('status.'));
    if (dropped.length === 0) return [action];
    const names = new Set(dropped.map(({ path }) => path.slice('status.'.length)));
    const status = Object.fromEntries(Object.entries((action.patch['status'] ?? {}) as JsonObject).filter(([name]) => !names.has(name)));
    return Object.keys(status).length === 0 ? [] : [{ ...action, patch: { ...action.patch, status } }];
  }
}

/** Logs an error if the AddOnRollout CRD is missing, because without it no add-on is installed or changed. */
async function checkRecord(client: Client, log: Logger): Promise<void> {
  const name = `${addOnRollouts.plural}.${addOnRollouts.group}`;
  try {
    await client.get(customResourceDefinitions, { name });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) return;
    const message =
      'AddOnRollout is not defined on this hub: nothing is installed or changed until `outrigger install hub --apply` has added it';
    log.error({ definition: name }, message);
  }
}

/** The schema of the stored version; undefined if the version has no schema, in which case it allows every field. */
async function schemaOf(client: Client, { plural, group, version }: Kind): Promise<unknown> {
  const definition = (await client.get(customResourceDefinitions, { name: `${plural}.${group}` })) as KubeObject & {
    readonly spec?: { readonly versions?: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: unknown } }[] };
  };
  return definition.spec?.versions?.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
}

function hasField(schema: unknown, path: readonly string[]): boolean {
  const [head, ...rest] = path;
  if (head === undefined || !isJsonObject(schema) || schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  const properties = schema['properties'];
  const name = head.replace(/\[\]$/, '');
  const field = isJsonObject(properties) ? properties[name] : undefined;
  if (field === undefined) return false;
  return hasField(name === head || !isJsonObject(field) ? field : field['items'], rest);
}
