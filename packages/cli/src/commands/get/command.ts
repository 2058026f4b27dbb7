import { Command } from 'commander';
import { usageError } from '../../failure.js';
import type { OutputFormat } from '../../terminal/output-formats.js';
import { suggestion } from '@outrigger/rules/explanation';
import type { CommandContext } from '../context.js';
import { connectionOf, outputOption, withConnection } from '../options.js';

export interface GetOptions {
  readonly cluster?: string;
  readonly output: OutputFormat;
  readonly watch?: true;
  readonly selector?: string;
  readonly unhealthy?: true;
  readonly sortBy?: string;
  readonly allNamespaces?: true;
}

/** The kinds that `get` lists, each with the other accepted spellings. */
export const GETTABLE: Readonly<Record<Gettable, readonly string[]>> = {
  addons: ['addon', 'add-ons', 'add-on', 'clustermanagementaddons', 'cma', 'managedclusteraddons', 'mca'],
  clusters: ['cluster', 'managedclusters', 'managedcluster'],
  rollouts: ['rollout', 'addonrollouts', 'aro'],
  revisions: ['revision', 'history'],
  policies: ['policy', 'rolloutpolicies', 'rolloutpolicy', 'rp'],
  templates: ['template', 'addontemplates', 'addontemplate'],
  placements: ['placement'],
  clustersets: ['clusterset', 'managedclustersets', 'managedclusterset'],
  works: ['work', 'manifestworks', 'manifestwork'],
  events: ['event', 'ev'],
};
export type Gettable =
  | 'addons'
  | 'clusters'
  | 'rollouts'
  | 'revisions'
  | 'policies'
  | 'templates'
  | 'placements'
  | 'clustersets'
  | 'works'
  | 'events';

/** Splits an argument such as `addon/hello`, which kubectl accepts too. */
function kindAndName(word: string, name: string | undefined): readonly [kind: string, name: string | undefined] {
  const slash = word.indexOf('/');
  return slash < 0 || name !== undefined ? [word, name] : [word.slice(0, slash), word.slice(slash + 1)];
}

export function getCommand(context: CommandContext): Command {
  return withConnection(new Command('get'))
    .summary('list add-ons, clusters, rollouts, works, events and more')
    .description('list add-ons, clusters, rollouts, revisions, policies, templates, Placements, cluster sets, works or events')
    .argument('<kind>', Object.keys(GETTABLE).join(', '))
    .argument('[name]', 'one of them; for add-ons: cluster by cluster; for events: of the object of this name')
    .option('-c, --cluster <name>', 'only what is on this cluster')
    .option('-l, --selector <labels>', 'only objects with these labels; for add-ons on clusters: the labels of the clusters')
    .option('--unhealthy', 'only what is not as it should be')
    .option('--sort-by <column>', 'order by this column of the table, or by .metadata.name or .metadata.creationTimestamp')
    .option('-A, --all-namespaces', 'in all namespaces, which is the default; fails instead of showing one namespace if you may not')
    .option('-w, --watch', 'go on and show every change')
    .addOption(outputOption())
    .action(async (word: string, name: string | undefined, options: GetOptions, command: Command) => {
      const [asked, named] = kindAndName(word, name);
      const kind = gettable(asked);
      const { get } = await import('./run.js');
      await get(context, { ...connectionOf(command), ...options, kind, ...(named === undefined ? {} : { name: named }) });
    });
}

export function gettable(word: string): Gettable {
  const kinds = Object.keys(GETTABLE) as Gettable[];
  const found = kinds.find((kind) => kind === word.toLowerCase() || GETTABLE[kind].includes(word.toLowerCase()));
  if (found) return found;
  throw usageError(`there is no kind "${word}"${suggestion(word, kinds)}`);
}
