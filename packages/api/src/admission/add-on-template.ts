import { isJsonObject } from '@outrigger/core';
import { canonicalJson } from '@outrigger/core/hash';
import { ADDON_VERSION_LABEL, UNKNOWN_VERSION } from '../constants.js';
import type { AddOnTemplate, HubPermission, TemplateRegistration } from '../generated/addon.js';
import { parseTemplateText } from '../template/placeholders.js';
import { textsInside } from '../template/strings.js';
import { allowedWith, invalid } from './result.js';
import type { AccessCheck, AdmissionLookup, AdmissionResult, AdmissionSettings, Refused, TemplateView } from './types.js';

const MANIFESTS = 'spec.agentSpec.workload.manifests';
const VERSION = `metadata.labels[${ADDON_VERSION_LABEL}]`;
/** What a stored revision can hold. */
const MAX_TEMPLATE_BYTES = 1024 * 1024;

export function reviewTemplate(
  object: AddOnTemplate,
  old: AddOnTemplate | undefined,
  lookup: AdmissionLookup,
  settings: AdmissionSettings,
): AdmissionResult {
  const same = (part: (template: AddOnTemplate) => unknown): boolean =>
    old !== undefined && canonicalJson(part(object)) === canonicalJson(part(old));
  const view = templateView(object);
  const sameIdentity = old !== undefined && isSameIdentity(view, templateView(old));
  const refused =
    (same((template) => template.spec.agentSpec) ? undefined : unparsable(object)) ??
    (sameIdentity ? undefined : (badVersion(view) ?? versionTaken(view, lookup) ?? usedByAnother(view, lookup)));
  if (refused) return refused;
  const registration = object.spec.registration ?? [];
  return allowedWith({ requires: same((template) => template.spec.registration ?? []) ? [] : authorChecks(registration, settings) });
}

/** For lookups that hold whole objects. */
export function templateView({ metadata, spec }: AddOnTemplate): TemplateView {
  const version = metadata.labels?.[ADDON_VERSION_LABEL];
  return { name: metadata.name ?? '', addonName: spec.addonName, version: version === '' ? undefined : version };
}

function isSameIdentity(a: TemplateView, b: TemplateView): boolean {
  return a.addonName === b.addonName && a.version === b.version;
}

function unparsable({ spec }: AddOnTemplate): Refused | undefined {
  const manifests = spec.agentSpec.workload?.manifests ?? [];
  const size = new TextEncoder().encode(canonicalJson(manifests)).length;
  if (size > MAX_TEMPLATE_BYTES) return invalid(MANIFESTS, `${size} bytes of manifests; a template may hold ${MAX_TEMPLATE_BYTES}`);
  for (const [index, manifest] of manifests.entries()) {
    const path = `${MANIFESTS}[${index}]`;
    const metadata = manifest['metadata'];
    const name = isJsonObject(metadata) ? metadata['name'] : undefined;
    if (typeof name !== 'string' || name === '') return invalid(`${path}.metadata.name`, 'every manifest needs a name');
    for (const { path: where, text } of textsInside(manifest, path)) {
      const parsed = parseTemplateText(text);
      if ('problem' in parsed) return invalid(where, parsed.problem);
    }
  }
  return undefined;
}

function badVersion({ version }: TemplateView): Refused | undefined {
  return version === UNKNOWN_VERSION
    ? invalid(VERSION, '`unknown` is what the status says of a version in motion; choose another')
    : undefined;
}

function versionTaken({ name, addonName, version }: TemplateView, lookup: AdmissionLookup): Refused | undefined {
  if (version === undefined) return undefined;
  for (const other of lookup.templatesOf(addonName)) {
    if (other.name !== name && other.version === version) {
      return invalid(VERSION, `version ${version} of the add-on ${addonName} is the AddOnTemplate ${other.name} already`);
    }
  }
  return undefined;
}

function usedByAnother({ name, addonName }: TemplateView, lookup: AdmissionLookup): Refused | undefined {
  for (const addOn of lookup.addOns()) {
    if (addOn.name !== addonName && addOn.templates.includes(name)) {
      return invalid('spec.addonName', `the add-on ${addOn.name} uses this template, so it cannot belong to ${addonName}`);
    }
  }
  return undefined;
}

/** Who writes a template hands out what it names: only what is the writer's to give. */
function authorChecks(registrations: readonly TemplateRegistration[], settings: AdmissionSettings): readonly AccessCheck[] {
  return registrations.flatMap((registration, index) => {
    const path = `spec.registration[${index}]`;
    const permissions = registration.kubeClient?.hubPermissions ?? [];
    return [
      ...permissions.flatMap((permission, at) => bindCheck(permission, `${path}.kubeClient.hubPermissions[${at}]`)),
      ...signingCheck(registration, `${path}.customSigner.signingCA`, settings),
    ];
  });
}

/** Bindings of `CurrentCluster` appear in the namespace of every cluster, so the right is needed in all of them. */
function bindCheck(permission: HubPermission, path: string): readonly AccessCheck[] {
  const { type, roleRef, currentCluster, singleNamespace } = permission;
  const role =
    roleRef ?? (type === 'CurrentCluster' ? currentCluster && clusterRole(currentCluster.clusterRoleName) : singleNamespace?.roleRef);
  if (!role) return [];
  const namespace = type === 'SingleNamespace' ? singleNamespace?.namespace : undefined;
  const resource = role.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  const where = namespace === undefined ? 'in the namespaces of all clusters' : `in the namespace ${namespace}`;
  return [
    {
      attributes: {
        verb: 'bind',
        group: 'rbac.authorization.k8s.io',
        resource,
        name: role.name,
        ...(namespace === undefined ? {} : { namespace }),
      },
      denied: `${path}: you may not bind the ${role.kind} ${role.name} ${where}, so you may not hand it out`,
    },
  ];
}

function clusterRole(name: string): { readonly kind: 'ClusterRole'; readonly name: string } {
  return { kind: 'ClusterRole', name };
}

function signingCheck({ customSigner }: TemplateRegistration, path: string, settings: AdmissionSettings): readonly AccessCheck[] {
  if (!customSigner) return [];
  const { name, namespace = settings.managerNamespace } = customSigner.signingCA;
  return [
    {
      attributes: { verb: 'get', group: '', resource: 'secrets', namespace, name },
      denied: `${path}: you may not get the Secret ${namespace}/${name}, so you may not sign with it`,
    },
  ];
}
