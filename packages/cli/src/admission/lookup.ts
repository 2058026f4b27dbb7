import {
  ADDON_GROUP,
  type AddOnView,
  type AdmissionLookup,
  type AdmissionRequest,
  CLUSTER_GROUP,
  type TemplateView,
  addOnTemplates,
  addOnView,
  clusterManagementAddOns,
  managedClusterAddOns,
  namespaces,
  templateView,
} from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { find, listOf } from '../fleet/objects.js';

interface Known {
  readonly addOns?: readonly AddOnView[];
  readonly templates?: readonly TemplateView[];
  readonly installations?: ReadonlyMap<string, number>;
  readonly addOnsOn?: ReadonlyMap<string, readonly string[]>;
  readonly terminating?: ReadonlySet<string>;
}

/**
 * What admission rules ask about other objects, read from the server when a request comes. Only the kinds a request can ask about
 * are read: writes of add-ons are rare, a cache for them is not worth its watches.
 */
export async function readLookup(client: Client, request: AdmissionRequest): Promise<AdmissionLookup> {
  const { kind, operation, name = '', namespace = '' } = request;
  if (kind.group === CLUSTER_GROUP) return lookupOf({ terminating: await terminating(client, name) });
  if (kind.group !== ADDON_GROUP) return lookupOf({});
  if (operation !== 'DELETE') {
    const [addOns, templates] = await Promise.all([readAddOns(client), readTemplates(client)]);
    return lookupOf({ addOns, templates });
  }
  if (kind.kind === 'ClusterManagementAddOn') return lookupOf({ installations: new Map([[name, await countInstallations(client, name)]]) });
  const [addOns, installed] = await Promise.all([readAddOns(client), client.list(managedClusterAddOns, { namespace, metadataOnly: true })]);
  return lookupOf({ addOns, addOnsOn: new Map([[namespace, installed.items.map(({ metadata }) => metadata.name ?? '')]]) });
}

function lookupOf({ addOns = [], templates = [], installations, addOnsOn, terminating: leaving }: Known): AdmissionLookup {
  return {
    addOn: (name) => addOns.find((addOn) => addOn.name === name),
    addOns: () => addOns,
    template: (name) => templates.find((template) => template.name === name),
    templatesOf: (addOn) => templates.filter(({ addonName }) => addonName === addOn),
    installations: (addOn) => installations?.get(addOn) ?? 0,
    addOnsOn: (cluster) => addOnsOn?.get(cluster) ?? [],
    isTerminating: (name) => leaving?.has(name) ?? false,
  };
}

async function readAddOns(client: Client): Promise<readonly AddOnView[]> {
  return (await listOf(client, clusterManagementAddOns)).map(addOnView);
}

async function readTemplates(client: Client): Promise<readonly TemplateView[]> {
  return (await listOf(client, addOnTemplates)).map(templateView);
}

async function countInstallations(client: Client, addOn: string): Promise<number> {
  let count = 0;
  for await (const { metadata } of client.listAll(managedClusterAddOns, { metadataOnly: true })) if (metadata.name === addOn) count++;
  return count;
}

async function terminating(client: Client, name: string): Promise<ReadonlySet<string>> {
  const namespace = await find(client, namespaces, { name });
  return new Set(namespace?.metadata.deletionTimestamp === undefined ? [] : [name]);
}
