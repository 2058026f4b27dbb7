import { type UserInfo, deepEqual, isJsonObject } from '@outrigger/core';
import { canonicalJson } from '@outrigger/core/hash';
import { ADDON_VERSION_LABEL, UNKNOWN_VERSION } from '../constants.js';
import type { AddOnTemplate } from '../generated/addon.js';
import { RENDER_MESSAGES } from '../messages.js';
import { authoredNamespace } from '../template/authored-namespace.js';
import { inexactInteger } from '../template/inexact-integers.js';
import { parseTemplateText } from '../template/placeholders.js';
import { repeatedObjects } from '../template/repeated-objects.js';
import { selectorMismatches } from '../template/selector-mismatch.js';
import { fieldPath, textsInside } from '../template/strings.js';
import { longName } from './long-name.js';
import { executorChecks } from './manifest-work.js';
import { allowedWith, invalid } from './result.js';
import { authorChecks } from './template-author.js';
import type { AdmissionLookup, AdmissionResult, Refused, TemplateView } from './types.js';

const MANIFESTS = 'spec.agentSpec.workload.manifests';
const VERSION = `metadata.labels[${ADDON_VERSION_LABEL}]`;
/** The maximum size of a template's manifests in bytes. Larger manifests do not fit in stored content. */
const MAX_TEMPLATE_BYTES = 1024 * 1024;

export function reviewTemplate(
  object: AddOnTemplate,
  old: AddOnTemplate | undefined,
  lookup: AdmissionLookup,
  context: { readonly user: UserInfo; readonly managerNamespace: string; readonly checkMissingExecutor: boolean },
): AdmissionResult {
  const changes = (part: (template: AddOnTemplate) => unknown): boolean => old === undefined || !deepEqual(part(object), part(old));
  const view = templateView(object);
  const refused =
    (changes(({ spec }) => spec.agentSpec) ? unparsable(object) : undefined) ??
    (changes((template) => identityOf(templateView(template))) ? badIdentity(view, lookup) : undefined);
  if (refused) return refused;
  // The agents of the add-on that `addonName` names get the permissions, so a change of that name is checked like a change of the
  // permissions.
  const handsOut = changes(({ spec }) => [spec.addonName, spec.registration ?? []]);
  return allowedWith({
    warnings: [
      ...(changes(({ spec }) => spec.addonName) ? longName('spec.addonName', view.addonName) : []),
      ...(handsOut ? usedByOthers(view, lookup) : []),
      ...(changes(({ spec }) => spec.agentSpec) ? selectorMismatches(object.spec.agentSpec.workload?.manifests ?? [], MANIFESTS) : []),
    ],
    requires: [
      ...(handsOut ? authorChecks(object.spec.registration ?? [], context) : []),
      // The manager has permission to use every executor, so the template's author needs permission to use the executor that the template
      // names.
      ...executorChecks({ spec: object.spec.agentSpec, old: old?.spec.agentSpec, namespace: '' }, context.user, context),
    ],
  });
}

/** Returns the fields of a template that the admission rules use. */
export function templateView({ metadata, spec }: Pick<AddOnTemplate, 'metadata' | 'spec'>): TemplateView {
  const version = metadata.labels?.[ADDON_VERSION_LABEL];
  return {
    name: metadata.name ?? '',
    addonName: spec.addonName,
    version: version === '' ? undefined : version,
    installNamespace: authoredNamespace(spec.agentSpec.workload?.manifests ?? []),
    registration: spec.registration ?? [],
  };
}

function identityOf({ addonName, version = '' }: TemplateView): readonly string[] {
  return [addonName, version];
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
    const notText = otherThanText(metadata, `${path}.metadata`);
    if (notText !== undefined) return invalid(notText, 'is not a string: put the value in quotes');
    const inexact = inexactInteger(manifest, path);
    if (inexact !== undefined) return invalid(inexact, RENDER_MESSAGES.inexactInteger);
    for (const { path: where, text } of textsInside(manifest, path)) {
      const parsed = parseTemplateText(text);
      if ('problem' in parsed) return invalid(where, parsed.problem);
    }
  }
  const [repeated] = repeatedObjects(manifests);
  return repeated && invalid(`${MANIFESTS}[${repeated.second}]`, RENDER_MESSAGES.repeatedObject(repeated.first, repeated.second));
}

/**
 * Returns the path of a label or annotation whose value is not a string, or undefined if all values are strings. No API server accepts
 * other values in a work. A typical cause is YAML without quotes, in which `on`, `yes` and `1.10` are not strings. An API server reads null
 * as an empty string, so null is accepted.
 */
function otherThanText(metadata: unknown, path: string): string | undefined {
  for (const field of ['labels', 'annotations'] as const) {
    const values = isJsonObject(metadata) ? metadata[field] : undefined;
    if (!isJsonObject(values)) continue;
    const wrong = Object.keys(values).find((key) => values[key] !== null && typeof values[key] !== 'string');
    if (wrong !== undefined) return fieldPath(`${path}.${field}`, wrong);
  }
  return undefined;
}

function badIdentity(view: TemplateView, lookup: AdmissionLookup): Refused | undefined {
  return badVersion(view) ?? versionTaken(view, lookup);
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

/**
 * Warns the writer of a template that add-ons other than spec.addonName reference the template. If the template has registrations, the
 * warning adds that the agents of these add-ons get the template's permissions. The authors of the references may not know this, because
 * the permissions may be newer than the references.
 */
function usedByOthers({ name, addonName, registration }: TemplateView, lookup: AdmissionLookup): readonly string[] {
  const rights = registration.length === 0 ? '' : '; its agents get the registrations and rights of this template, too';
  return [...new Set(lookup.templateUsers(name))]
    .filter((addOn) => addOn !== addonName)
    .map((addOn) => `spec.addonName: the add-on ${addOn} uses this template, which is of the add-on ${addonName}${rights}`);
}
