import { formatPage } from '../address/address.js';

export interface Hit {
  readonly text: string;
  readonly note: string;
  readonly address: string;
}

const MOST_HITS = 12;

/** Pages, add-ons and clusters for what was typed; those that start with it come first. */
export function search(text: string, addOns: readonly string[], clusters: readonly string[]): Hit[] {
  const wanted = text.trim().toLowerCase();
  const [first = '', second = ''] = wanted.split(/\s+/);
  const pages: Hit[] = [
    { text: 'Fleet', note: 'page', address: '/' },
    { text: 'Activity', note: 'page', address: '/activity' },
    { text: 'Failed add-ons', note: 'search', address: '/?q=state%3Afailed' },
    { text: 'Not available', note: 'search', address: '/?q=-state%3Aavailable%2Cabsent&sort=worst' },
  ];
  const found: Hit[] = [
    ...pages,
    ...addOns.flatMap((addon): Hit[] => [
      { text: addon, note: 'add-on', address: formatPage({ page: 'addon', addon }) },
      { text: `${addon} rollout`, note: 'rollout', address: formatPage({ page: 'rollout', addon }) },
    ]),
  ].filter((hit) => hit.text.toLowerCase().includes(wanted));
  for (const cluster of clusters) {
    if (found.length > 500) break;
    if (cluster.toLowerCase().includes(wanted))
      found.push({ text: cluster, note: 'cluster', address: formatPage({ page: 'cluster', cluster }) });
  }
  // The search text contains two names: an add-on and a cluster.
  if (second !== '') {
    const addon = addOns.find((name) => name.toLowerCase().startsWith(first));
    const cluster = clusters.find((name) => name.toLowerCase().startsWith(second));
    if (addon !== undefined && cluster !== undefined) {
      found.unshift({ text: `${addon} on ${cluster}`, note: 'why', address: formatPage({ page: 'cell', cluster, addon }) });
    }
  }
  const rank = (hit: Hit) => (hit.text.toLowerCase().startsWith(wanted) ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, MOST_HITS);
}
