import { deployments } from '@outrigger/api';
import {
  type Condition,
  type Kind,
  type KubeObject,
  type Runtime,
  collect,
  findCondition,
  isApiError,
  keyOf,
  keyString,
  nameOf,
  parseApiVersion,
} from '@outrigger/core';
import { toYaml } from '@outrigger/core/yaml';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../failure.js';
import { find } from '../fleet/objects.js';
import { CLUSTERADM_ACCOUNT } from './clusteradm.js';
import { applyDefinition } from './definitions/apply-definition.js';
import { CUSTOM_RESOURCE_DEFINITIONS, type Definition, isDefinition, storedKind } from './definitions/definition.js';
import { INSTALL_MANAGER } from './definitions/plan.js';
import { PART_OF, PART_OF_LABEL } from './workload.js';

export function toDocuments(objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${toYaml(object)}`).join('');
}

const ESTABLISH_LIMIT_MS = 30_000;
const POLL_MS = 100;

type Say = (line: string) => void;

/**
 * Applies the objects in order and takes over fields that other field managers own. CRDs are the exception: another program may have
 * installed them, so they are merged without losing any part of the installed CRD. Resolves when the server serves the kinds of all CRDs.
 */
export async function applyAll(client: Client, objects: readonly KubeObject[], runtime: Runtime, say: Say): Promise<void> {
  const definitions: string[] = [];
  for (const object of objects) {
    const { name = '' } = object.metadata;
    const notes = await applyOne(client, object);
    say(`${object.kind} ${name} applied`);
    for (const note of notes) say(`  ${note}`);
    if (isDefinition(object)) definitions.push(name);
  }
  for (const name of definitions) await established(client, name, runtime);
}

/** Marks objects whose names other programs may also use, because `uninstall` deletes such an object only if `install` created it. */
const MADE_ANNOTATION = 'outrigger.dev/made-by';

async function applyOne(client: Client, object: KubeObject): Promise<readonly string[]> {
  if (isDefinition(object)) return applyDefinition(client, object);
  if (isPolicy(object) && !(await isServed(client, object)))
    return ['not applied: this server does not serve admission policies (Kubernetes 1.30 does)'];
  const kind = await kindOf(client, object);
  const isMissing = isShared(object) && !(await find(client, kind, keyOf(object)));
  if (isMissing) {
    await client.create(kind, withAnnotation(object, MADE_ANNOTATION, INSTALL_MANAGER), { fieldManager: INSTALL_MANAGER });
    return [];
  }
  await client.apply(kind, object, { fieldManager: INSTALL_MANAGER, force: true });
  return [];
}

/** Applies one of the manager's RBAC objects and takes over its fields. Use this function only for a hub that no other program uses. */
export async function applyRight(client: Client, object: KubeObject): Promise<void> {
  await client.apply(await kindOf(client, object), object, { fieldManager: INSTALL_MANAGER, force: true });
}

/**
 * Whether the object is an admission policy, a kind that older servers do not support. docs/guides/security.md lists the limits that the
 * policies enforce.
 */
function isPolicy({ kind }: KubeObject): boolean {
  return kind.startsWith('ValidatingAdmissionPolicy');
}

function isServed(client: Client, { apiVersion, kind }: KubeObject): Promise<boolean> {
  return client.discovery.serves({ ...parseApiVersion(apiVersion), kind });
}

function withAnnotation(object: KubeObject, name: string, value: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [name]: value } } };
}

async function established(client: Client, name: string, { clock, timers }: Runtime): Promise<void> {
  const limit = clock.monotonic() + ESTABLISH_LIMIT_MS;
  for (;;) {
    const definition = (await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name })) as KubeObject & {
      readonly status?: { readonly conditions?: readonly Condition[] };
    };
    const refused = findCondition(definition.status?.conditions, 'NamesAccepted');
    if (findCondition(definition.status?.conditions, 'Established')?.status === 'True') return;
    if (clock.monotonic() > limit)
      throw new CommandError(`${name} is not served: ${refused?.message ?? 'the server does not say why'}`, EXIT.failed);
    await timers.sleep(POLL_MS);
  }
}

/** An object that exists on the server. */
export interface Present {
  readonly object: KubeObject;
  readonly kind: Kind;
  /** The reason why the deletion skips the object, because another program may use it; undefined if the object is deleted. */
  readonly keptBecause: string | undefined;
}

/** Returns the given objects that exist, in the order of their deletion, which is the reverse of the given order. */
export async function findPresent(client: Client, objects: readonly KubeObject[]): Promise<readonly Present[]> {
  const present: Present[] = [];
  for (const object of [...objects].reverse()) {
    const kind = await client.discovery.kindOf({ ...parseApiVersion(object.apiVersion), kind: object.kind });
    const found = kind && (await find(client, kind, keyOf(object)));
    if (found) present.push({ object, kind, keptBecause: await keptReason(client, found) });
  }
  return present;
}

async function keptReason(client: Client, found: KubeObject): Promise<string | undefined> {
  if (!isShared(found)) return undefined;
  if (found.metadata.annotations?.[MADE_ANNOTATION] === undefined) return '`outrigger install --apply` did not make it';
  const other = found.kind === 'Namespace' ? await deploymentOfOthers(client, nameOf(found)) : undefined;
  return other && `the Deployment ${other} of another program is in it`;
}

/** Upstream's programs run in namespaces of the same names, so they may have been installed into a namespace that `install` created. */
async function deploymentOfOthers(client: Client, namespace: string): Promise<string | undefined> {
  const all = await collect(client.listAll(deployments, { namespace, metadataOnly: true }));
  return all.filter(({ metadata }) => metadata.labels?.[PART_OF_LABEL] !== PART_OF).map(nameOf)[0];
}

/** Returns the kind and the name of an object, with its namespace. */
export function objectText(object: KubeObject): string {
  return `${object.kind} ${keyString(keyOf(object))}`;
}

/** Returns the message that an uninstallation does not delete the object, with the reason. */
export function keptText(object: KubeObject, because: string): string {
  return `${objectText(object)} stays: ${because}`;
}

/**
 * Deletes the given objects that exist, in reverse order. Shared objects that another program may use stay, and `sayKept` reports them.
 */
export async function deleteAll(client: Client, objects: readonly KubeObject[], say: Say, sayKept: Say): Promise<void> {
  for (const { object, kind, keptBecause } of await findPresent(client, objects)) {
    if (keptBecause !== undefined) {
      sayKept(keptText(object, keptBecause));
      continue;
    }
    if (isDefinition(object)) await openStorage(client, object);
    try {
      await client.delete(kind, keyOf(object));
      say(`${objectText(object)} deleted`);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
}

/**
 * Lists objects of a kind before its CRD is deleted, so that the API server opens the storage of the kind in time. If the server opens the
 * storage only to delete the objects, its first attempt may fail, and it retries up to five minutes later.
 */
async function openStorage(client: Client, definition: Definition): Promise<void> {
  try {
    await client.list(storedKind(definition), { limit: 1 });
  } catch (error) {
    // The CRD can be deleted even if its objects cannot be listed: the CRD may be missing, or the user may not have the permission to list
    // its objects.
    if (!isApiError(error)) throw error;
  }
}

/** Whether the object may have been created by another program under the same name. */
function isShared({ kind, metadata }: KubeObject): boolean {
  return kind === 'Namespace' || (kind === 'ServiceAccount' && metadata.name === CLUSTERADM_ACCOUNT.name);
}

async function kindOf(client: Client, object: KubeObject): Promise<Kind> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const kind = await client.discovery.kindOf({ group, version, kind: object.kind });
  if (kind) return kind;
  throw new CommandError(`this server does not serve ${object.apiVersion} ${object.kind}`, EXIT.failed);
}
