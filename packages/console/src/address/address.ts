// The URLs of the pages. A URL contains every filter, sort order and selection, so that a shared link shows the same view.
import type { ObjectLink } from '@outrigger/console-contract';

export type Page =
  | { readonly page: 'fleet' }
  | { readonly page: 'addon'; readonly addon: string }
  | { readonly page: 'rollout'; readonly addon: string }
  | { readonly page: 'cluster'; readonly cluster: string }
  | { readonly page: 'cell'; readonly cluster: string; readonly addon: string }
  | { readonly page: 'activity' }
  | { readonly page: 'object'; readonly object: ObjectLink }
  | { readonly page: 'unknown'; readonly path: string };

/** The user's settings for the page (query parameters), by name. Empty values are left out. */
export type Choices = Readonly<Record<string, string>>;

export interface Address {
  readonly page: Page;
  readonly choices: Choices;
}

export function parseAddress(path: string, search: string): Address {
  const choices = Object.fromEntries([...new URLSearchParams(search)].filter(([, value]) => value !== ''));
  return { page: parsePage(path), choices };
}

export function formatAddress({ page, choices }: Address): string {
  const entries = Object.entries(choices).filter(([, value]) => value !== '');
  const search = new URLSearchParams(entries.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  return search === '' ? formatPage(page) : `${formatPage(page)}?${search}`;
}

export function formatPage(page: Page): string {
  switch (page.page) {
    case 'fleet':
      return '/';
    case 'addon':
      return `/addons/${encodeURIComponent(page.addon)}`;
    case 'rollout':
      return `/addons/${encodeURIComponent(page.addon)}/rollout`;
    case 'cluster':
      return `/clusters/${encodeURIComponent(page.cluster)}`;
    case 'cell':
      return `/clusters/${encodeURIComponent(page.cluster)}/addons/${encodeURIComponent(page.addon)}`;
    case 'activity':
      return '/activity';
    case 'object':
      return `/objects/${objectParts(page.object).map(encodeURIComponent).join('/')}`;
    case 'unknown':
      return page.path;
  }
}

function parsePage(path: string): Page {
  const parts = decoded(path);
  if (parts === undefined) return { page: 'unknown', path };
  const [first, second, third, fourth] = parts;
  if (first === undefined) return { page: 'fleet' };
  if (first === 'activity' && parts.length === 1) return { page: 'activity' };
  if (first === 'objects') {
    const object = objectOf(parts.slice(1));
    if (object !== undefined) return { page: 'object', object };
  }
  if (first === 'addons' && second !== undefined) {
    if (parts.length === 2) return { page: 'addon', addon: second };
    if (parts.length === 3 && third === 'rollout') return { page: 'rollout', addon: second };
  }
  if (first === 'clusters' && second !== undefined) {
    if (parts.length === 2) return { page: 'cluster', cluster: second };
    if (parts.length === 4 && third === 'addons' && fourth !== undefined) return { page: 'cell', cluster: second, addon: fourth };
  }
  return { page: 'unknown', path };
}

/** The path segments of an object: group (`core` for the core group), version, resource, namespace (if any) and name. */
function objectParts({ group, version, resource, namespace, name }: ObjectLink): string[] {
  return [group === '' ? 'core' : group, version, resource, ...(namespace === undefined ? [] : [namespace]), name];
}

function objectOf(parts: readonly string[]): ObjectLink | undefined {
  const [group = '', version, resource, ...rest] = parts;
  const name = rest.at(-1);
  if (version === undefined || resource === undefined || name === undefined || rest.length > 2) return undefined;
  const [namespace] = rest.length === 2 ? rest : [];
  return { group: group === 'core' ? '' : group, version, resource, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Splits a path into its decoded parts. Returns `undefined` if it contains an invalid escape sequence. */
function decoded(path: string): string[] | undefined {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
