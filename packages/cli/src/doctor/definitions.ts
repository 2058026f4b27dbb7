import { KIND_DEFINITIONS, MANAGED_CLUSTER_KINDS, rootSchema } from '@outrigger/api';
import { apiVersionOf, shell } from '@outrigger/core';
import { missingFields } from '@outrigger/hub';
import type { Definition, DefinitionVersion } from '../install/definitions/definition.js';
import type { Patient } from './checks.js';
import type { Finding } from './finding.js';
import { managerPods } from './manager-lease.js';

const INSTALL = 'outrigger install hub --crds-only --apply';
/** The command that starts the manager with the conversion webhook, through which the hub serves the missing version. */
const SERVE_BY_WEBHOOK = 'outrigger hub --webhook-port 9443';
const OUR_KINDS = KIND_DEFINITIONS.filter(({ kind }) => !MANAGED_CLUSTER_KINDS.includes(kind));

/**
 * Whether the server serves none of the kinds of a hub. Such a server is probably a managed cluster, because the kubeconfig names the wrong
 * context.
 */
export function isNoHub({ served }: Patient): boolean {
  return OUR_KINDS.every(({ group, kind, versions }) =>
    versions.every(({ version }) => !served.has(`${apiVersionOf({ group, version })} ${kind}`)),
  );
}

/** The finding about a server that is no hub. */
export const NO_HUB: Finding = {
  check: 'kinds',
  state: 'problem',
  text: 'this server is no hub, it serves none of the kinds: choose the context of the hub with --context, or make this server a hub',
  hint: 'outrigger install hub --apply',
};

/** Checks which kinds and versions the hub serves. */
export function kinds({ served, definitions, upstream }: Patient): Finding {
  const missing = OUR_KINDS.flatMap(({ group, kind, versions }) =>
    versions.some(({ version }) => served.has(`${apiVersionOf({ group, version })} ${kind}`)) ? [] : [kind],
  );
  if (missing.length > 0) return { check: 'kinds', state: 'problem', text: `not served: ${missing.join(', ')}`, hint: INSTALL };
  const unserved = OUR_KINDS.flatMap(({ group, kind, versions }) =>
    versions
      .filter(({ version }) => !served.has(`${apiVersionOf({ group, version })} ${kind}`))
      .map(({ version }) => ({ group, kind, version })),
  );
  if (unserved.length === 0) return { check: 'kinds', state: 'ok', text: 'all are served, in all versions' };
  const [first] = unserved as [(typeof unserved)[number]];
  const named = unserved.map(({ kind, version }) => `${kind} ${version}`).join(', ');
  const definition = definitions.find(({ spec }) => spec.group === first.group && spec.names.kind === first.kind);
  // If a conversion webhook is configured or upstream's controllers run, the version was probably served before, so programs that use it
  // now fail.
  const isMissed = definition?.spec.conversion?.strategy === 'Webhook' || Object.keys(upstream).length > 0;
  return {
    check: 'kinds',
    state: 'problem',
    text: `all are served, but not in these versions: ${named}${isMissed ? '; programs that use them fail' : ''}`,
    hint: definition && isMissed ? serveCommand(definition, first.version) : SERVE_BY_WEBHOOK,
  };
}

function serveCommand({ metadata, spec }: Definition, version: string): string {
  const index = spec.versions.findIndex(({ name }) => name === version);
  const patch = JSON.stringify([{ op: 'replace', path: `/spec/versions/${index}/served`, value: true }]);
  return shell`kubectl patch customresourcedefinition ${metadata.name} --type=json -p ${patch}`;
}

/** Checks for fields of our kinds that the hub drops because the CRD lacks them or the webhook does not convert them. */
export function fields({ definitions, roundTrips, lease }: Patient): Finding {
  const lacking = definitions.flatMap(({ spec }) =>
    spec.versions.filter(({ served, storage }) => served || storage).flatMap((version) => lackingIn(spec.names.plural, version)),
  );
  if (lacking.length > 0) {
    const features = [...new Set(lacking.map(({ feature }) => feature))].join(', ');
    return {
      check: 'fields',
      state: 'problem',
      text: `definitions lack our fields, and the API server drops them: ${lacking.map(({ text }) => text).join(', ')} (off: ${features})`,
      hint: INSTALL,
    };
  }
  const lost = [...new Set(roundTrips.flatMap((trip) => trip.lost.map((path) => `${trip.kind} ${path}`)))];
  if (lost.length > 0)
    return {
      check: 'fields',
      state: 'problem',
      text: `a program that reads and writes v1beta1 here loses our fields, because the conversion webhook drops them: ${lost.join(', ')}`,
      hint: 'docs/guides/real-hub.md, "From upstream and back"',
    };
  const failures = [...new Set(roundTrips.flatMap(({ kind, failure }) => (failure === undefined ? [] : [`${kind}: ${failure}`])))];
  if (failures.length > 0)
    return {
      check: 'fields',
      state: failures.some((text) => text.includes('webhook')) ? 'problem' : 'warning',
      text: `the conversion to v1beta1 could not be tried: ${failures.join('; ')}`,
      hint: managerPods(lease),
    };
  const untried = [...new Set(roundTrips.filter(({ isForbidden }) => isForbidden).map(({ kind }) => kind))];
  if (untried.length > 0)
    return {
      check: 'fields',
      state: 'ok',
      text: `definitions have all fields; the conversion was not tried: it takes the right to create ${untried.join(' and ')}`,
    };
  return { check: 'fields', state: 'ok', text: 'none gets lost' };
}

/** Returns the fields of our own CRD that one version of the installed CRD lacks. */
function lackingIn(plural: string, { name, schema }: DefinitionVersion): readonly { readonly text: string; readonly feature: string }[] {
  const own = OUR_KINDS.find((kind) => kind.plural === plural)?.versions.find(({ version }) => version === name);
  if (!own) return [];
  const elsewhere = new Set(missingFields(plural, rootSchema(own)).map(({ path }) => path));
  return missingFields(plural, schema?.openAPIV3Schema)
    .filter(({ path }) => !elsewhere.has(path))
    .map(({ kind, path, feature }) => ({ text: `${kind} ${name} ${path}`, feature }));
}
