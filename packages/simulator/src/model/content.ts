import type { LogEntry, LoggedPass, ObjectHistory, Stored, Violation } from './log.js';
import { specHash } from './json.js';
import { entriesWithoutEffect } from './unknown-entries.js';
import {
  type AddOnSpec,
  KIND,
  MARK,
  type RecordStatus,
  type Revision,
  isManual,
  isUserOwned,
  membershipOf,
  specOf,
  statusOf,
} from './reading.js';

export const ADDON_LABEL = 'open-cluster-management.io/addon-name';
const REVISION_ANNOTATION = 'outrigger.dev/revision';
/** The entry for clusters that no other entry selects. */
const DEFAULT_ENTRY = 'default';

/** The content that a work applies on a cluster: the image from the template, and the level from the config. */
export interface Content {
  readonly image: string;
  readonly level: string;
}

interface Manifest {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } } };
}

export function contentOfWork(work: Stored): Content | undefined {
  const manifests = specOf<{ workload?: { manifests?: readonly Manifest[] } }>(work)?.workload?.manifests ?? [];
  const [manifest] = manifests;
  if (!manifest || manifests.length !== 1) return undefined;
  return {
    image: manifest.spec?.template?.spec?.containers?.[0]?.image ?? '',
    level: manifest.metadata?.annotations?.['level'] ?? '',
  };
}

export function imageOfTemplate(template: Stored): string {
  const spec = specOf<{ agentSpec?: { workload?: { manifests?: readonly Manifest[] } } }>(template);
  return spec?.agentSpec?.workload?.manifests?.[0]?.spec?.template?.spec?.containers?.[0]?.image ?? '';
}

export function levelOfConfig(config: Stored): string {
  return specOf<{ customizedVariables?: readonly { name: string; value: string }[] }>(config)?.customizedVariables?.[0]?.value ?? '';
}

/** The content of every template and config that ever existed, by digest. */
export class Contents {
  readonly #images = new Map<string, string>();
  readonly #levels = new Map<string, string>();

  learn(kind: string, object: Stored): void {
    if (kind === KIND.templates) this.#images.set(specHash(object), imageOfTemplate(object));
    if (kind === KIND.configs) this.#levels.set(specHash(object), levelOfConfig(object));
  }

  of(revision: Revision): Partial<Content> {
    const hash = (resource: string): string => revision.configs?.find((config) => config.resource === resource)?.specHash ?? '';
    const image = this.#images.get(hash('addontemplates'));
    const level = this.#levels.get(hash('addondeploymentconfigs'));
    return { ...(image === undefined ? {} : { image }), ...(level === undefined ? {} : { level }) };
  }
}

/**
 * addons.md §5: the content of a cluster changes only to a revision that the record or the add-on's annotation names for it. Overridden
 * parts come from the override. The check uses the state that the pass had read.
 */
export function judgeWork(history: ObjectHistory, contents: Contents, entry: LogEntry): readonly Violation[] {
  const { pass, after, before } = entry;
  if (entry.kind !== KIND.works || !pass || !after || after.metadata.deletionTimestamp !== undefined) return [];
  const addOn = after.metadata.labels?.[ADDON_LABEL] ?? '';
  const cluster = after.metadata.namespace ?? '';
  const is = contentOfWork(after);
  const was = before && contentOfWork(before);
  if (!is) return [{ rule: 'content', message: `${entry.id} holds something else than the template's manifest`, index: entry.index }];
  if (was && was.image === is.image && was.level === is.level) return [];
  const { granted, installed, isWithoutStrategy } = grantOf(history, pass, { cluster, addOn });
  const own = ownContent(history, installed, { name: addOn, isWithoutStrategy });
  const isAllowed = granted.some((revision) => {
    const { image, level } = contents.of(revision);
    return (own.images ?? [image]).includes(is.image) && (own.levels ?? [level]).includes(is.level);
  });
  if (isAllowed) return [];
  const numbers = granted.map(({ revision }) => revision).join(', ') || 'none';
  const message = `${entry.id} changes from ${text(was)} to ${text(is)}, which no revision granted to the cluster holds (granted: ${numbers})`;
  return [{ rule: 'content', message, index: entry.index }];
}

/** Returns the revisions that an add-on on a cluster may have in the state that a pass had read, and the add-on in that state. */
export function grantOf(
  history: ObjectHistory,
  pass: LoggedPass,
  { cluster, addOn }: { readonly cluster: string; readonly addOn: string },
): { readonly granted: readonly Revision[]; readonly installed: Stored | undefined; readonly isWithoutStrategy: boolean } {
  const { seen } = pass;
  const record = statusOf<RecordStatus>(history.get(KIND.rollouts, addOn, seen[KIND.rollouts]));
  const installed = history.get(KIND.addOns, `${cluster}/${addOn}`, seen[KIND.addOns]);
  const declaration = history.get(KIND.declarations, addOn, seen[KIND.declarations]);
  const entries = declaration ? membershipOf(history, declaration, (kind) => seen[kind] ?? 0) : [];
  const isWithoutStrategy = !declaration || isManual(declaration);
  // An add-on that the installer created belongs to no entry if the strategy no longer selects its cluster. It is to be removed.
  const isLeaving = !isWithoutStrategy && installed?.metadata.annotations?.[MARK] !== undefined;
  const home = entries.find(({ clusters }) => clusters.includes(cluster))?.name ?? (isLeaving ? undefined : DEFAULT_ENTRY);
  const listedIn = record.entries?.findLast(({ members = [] }) => members.includes(cluster))?.name;
  const ignored = entriesWithoutEffect(history, addOn, listedIn, pass);
  const revisions = grantedRevisions(record, { cluster, home, ignored }, installed);
  // A cluster that has no content yet gets it from any entry.
  const numbers = revisions.length > 0 ? revisions : grantedRevisions(record, { cluster, home, ignored: [] }, installed);
  const granted = numbers.flatMap((number) => record.history?.find((one) => one.revision === number) ?? []);
  return { granted, installed, isWithoutStrategy };
}

/** The version that an override of the add-on sets; undefined if the entry or the declaration chooses the version. */
export function ownVersion(addOn: Stored | undefined, isWithoutStrategy: boolean): string | undefined {
  const { installVersion } = specOf<AddOnSpec>(addOn) ?? {};
  // Without a strategy the add-on's spec counts as an override, regardless of its writer.
  const isOwn = isWithoutStrategy || addOn?.metadata.annotations?.[MARK] === undefined;
  return isOwn || isUserOwned(addOn, 'f:installVersion') ? installVersion : undefined;
}

function text(content: Content | undefined): string {
  return content ? `${content.image} at level ${content.level}` : 'nothing';
}

/**
 * Returns the revisions that a cluster may have, according to its annotation and its admissions. Admissions by name in `ignored` entries do
 * not count. A wildcard admission covers the clusters
 * that the record lists for the entry. If no entry lists the cluster, the wildcard admission of an entry covers the cluster if the cluster
 * belonged to that entry in the state that the pass had read.
 */
function grantedRevisions(
  { entries = [] }: Partial<RecordStatus>,
  { cluster, home, ignored }: { readonly cluster: string; readonly home: string | undefined; readonly ignored: readonly string[] },
  addOn: Stored | undefined,
): readonly number[] {
  const isListed = entries.some(({ members = [] }) => members.includes(cluster));
  const annotated = addOn?.metadata.annotations?.[REVISION_ANNOTATION];
  const named = entries.flatMap(({ name, inFlight = [], members = [], targetRevision, handMadeRevision, ownConfigsRevision }) =>
    inFlight.flatMap((one) => {
      if (one.cluster === cluster) return ignored.includes(name) ? [] : [one.revision];
      if (one.cluster !== '*' || !(isListed ? members.includes(cluster) : name === home)) return [];
      return [one.revision, targetRevision, handMadeRevision, ownConfigsRevision];
    }),
  );
  return [...(annotated === undefined ? [] : [Number(annotated)]), ...named].filter((revision) => revision !== undefined);
}

/**
 * The content that overrides of the add-on allow: every image that the template of the version in the override ever had, and every level
 * that the config in the override ever had. Each is undefined without an override.
 */
function ownContent(
  history: ObjectHistory,
  addOn: Stored | undefined,
  { name, isWithoutStrategy }: { readonly name: string; readonly isWithoutStrategy: boolean },
): { readonly images: readonly string[] | undefined; readonly levels: readonly string[] | undefined } {
  const { configs = [] } = specOf<AddOnSpec>(addOn) ?? {};
  const version = ownVersion(addOn, isWithoutStrategy);
  const images = version ? imagesOf(history, `${name}-${version}`) : undefined;
  const own = configs.find(({ resource }) => resource === 'addondeploymentconfigs');
  const levels = own
    ? history.versions(KIND.configs, `${own.namespace ?? ''}/${own.name}`).flatMap(({ object }) => (object ? [levelOfConfig(object)] : []))
    : undefined;
  return { images, levels };
}

function imagesOf(history: ObjectHistory, template: string): readonly string[] {
  return history.versions(KIND.templates, template).flatMap(({ object }) => (object ? [imageOfTemplate(object)] : []));
}
