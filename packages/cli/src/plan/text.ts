import { type JsonObject, countText, parseTime, shell, objectOrEmpty } from '@outrigger/core';
import type { Certainty, Difference, EntryPlan, FailureForecast, GatePlan, Plan, Right, WavePlan } from '@outrigger/hub/planner';
import { changesText, diffManifests } from '../commands/diff/changes.js';
import { clean } from '../terminal/clean.js';
import { displayWidth } from '../terminal/display-width.js';
import type { Style } from '../terminal/terminal.js';
import { wrapProse } from '../terminal/wrap-prose.js';
import { elapsed, namesText, period } from './words.js';

/** The maximum number of waves per entry that are printed individually. The others are summarized. */
const SHOWN_WAVES = 8;

/** The format of a printed plan: its colours, and the width of the terminal. */
export interface PlanLook {
  readonly style: Style;
  readonly width?: number | undefined;
}

/**
 * Formats the plan. Each statement is marked as known, assumed or unknown. On a terminal, statements are wrapped between words, and their
 * further lines are indented. Commands stay whole.
 */
export function planText(plan: Plan, { style, width = Infinity }: PlanLook): string {
  const mark = marker(style, width);
  const parts: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Who', whoLines(plan, mark)],
    ['What', whatLines(plan, { style, width }, mark)],
    ['When', whenLines(plan, mark)],
    ['If it goes wrong', plan.failure ? failureLines(plan.failure, mark) : []],
    ['In the way', obstacleLines(plan, mark)],
  ];
  return (
    headText(plan, style, width) +
    parts.flatMap(([title, lines]) => (lines.length === 0 ? [] : [`\n${style.bold(title)}\n`, ...lines])).join('')
  );
}

function headText({ addOn, change, from }: Plan, style: Style, width: number): string {
  const title = `${clean(addOn)} ${clean(change)}`;
  const note = `from ${from}; nothing is written`;
  if (displayWidth(`${title}, ${note}`) <= width) return `${style.bold(title)}, ${note}\n`;
  return `${[...wrapProse(`${title},`, width).map((line) => style.bold(line)), ...wrapProse(note, width)].join('\n')}\n`;
}

type Mark = (text: string, certainty: Certainty) => string;

const WORDS: Readonly<Record<Certainty, string>> = { known: 'known', assumed: 'assumed', unknown: 'cannot be known' };

/** The indentation of a statement, and the additional indentation of its continuation lines. */
const INDENT = '  ';
const FURTHER = '    ';

function marker(style: Style, width: number): Mark {
  return (text, certainty) => {
    const start = `${INDENT}${/^ */.exec(text)?.[0] ?? ''}`;
    const word = `[${WORDS[certainty]}]`;
    const lines = [...wrapProse(text.trimStart(), width - start.length, FURTHER.length)];
    // The mark with the certainty is not split. If it does not fit on the last line, it is printed on a separate line.
    const indent = lines.length === 1 ? start : `${start}${FURTHER}`;
    const hasRoom = displayWidth(`${indent}${lines.at(-1) ?? ''} ${word}`) <= width;
    const marked = hasRoom ? `${lines.pop() ?? ''} ${style.dim(word)}` : style.dim(word);
    return [...lines, marked].map((line, i) => `${start}${i === 0 ? '' : FURTHER}${line}\n`).join('');
  };
}

function whoLines({ addOn, entries, removals }: Plan, mark: Mark): readonly string[] {
  const lines = entries.flatMap((entry) => [
    mark(`${clean(entry.name)}: ${targetText(entry)}`, 'known'),
    ...entry.groups.flatMap((group) => groupLine(group, mark)),
  ]);
  if (!removals) return lines;
  const guard = removals.needsConfirmation
    ? `; the guard asks for a confirmation first: \`${shell`outrigger rollout confirm ${addOn}`}\``
    : '';
  return [
    ...lines,
    mark(
      `removed from ${countText(removals.clusters.length, 'cluster')} of ${removals.of}: ${namesText(removals.clusters)}${guard}`,
      removals.certainty,
    ),
  ];
}

function targetText({ target }: EntryPlan): string {
  if (!target) return 'no target';
  const revision = target.isNew ? `new revision ${target.revision}` : `revision ${target.revision}`;
  return target.version === '' ? revision : `${clean(target.version)} (${revision})`;
}

const STANDINGS = {
  fresh: 'get it for the first time',
  moving: 'move',
  unchanged: 'have it already',
  overridden: 'keep what their owner set',
  skipped: 'are away and are skipped',
  failed: 'failed to reach it before',
} as const;

function groupLine(group: EntryPlan['groups'][number], mark: Mark): readonly string[] {
  const parts = (Object.keys(STANDINGS) as (keyof typeof STANDINGS)[]).flatMap((standing) => {
    const names = group[standing];
    if (names.length === 0) return [];
    const shown = standing === 'unchanged' || standing === 'moving' || standing === 'fresh' ? '' : ` (${namesText(names)})`;
    return [`${names.length} ${STANDINGS[standing]}${shown}`];
  });
  return parts.length === 0 ? [] : [mark(`  group ${clean(group.name)}: ${parts.join(', ')}`, group.certainty)];
}

function whatLines({ differences, rights }: Plan, look: PlanLook, mark: Mark): readonly string[] {
  return [
    ...differences.flatMap((difference) => differenceLines(difference, look, mark)),
    ...rightLines('gained', rights.gained, mark),
    ...rightLines('lost', rights.lost, mark),
    ...rights.unknown.map((role) => mark(`rights of ${clean(role)}`, 'unknown')),
  ];
}

function differenceLines(
  { clusters, from, to, before, after, isKnown, problem }: Difference,
  { style, width = Infinity }: PlanLook,
  mark: Mark,
): readonly string[] {
  const isOne = clusters.length === 1;
  const revisions =
    from === undefined ? `${isOne ? 'gets' : 'get'} revision ${to}` : `${isOne ? 'goes' : 'go'} from revision ${from} to ${to}`;
  const head = `${countText(clusters.length, 'cluster')} (${namesText(clusters)}) ${revisions}`;
  if (!isKnown)
    return [
      mark(
        `${head}: ${problem === undefined ? 'the manifests are not stored or another manager renders them' : clean(problem)}`,
        'unknown',
      ),
    ];
  if (from === undefined) return [mark(`${head}: ${after.map(objectName).join(', ') || 'no objects'}`, 'known')];
  const changes = diffManifests(before, after);
  return [
    mark(`${head}${changes.length === 0 ? ': the same manifests' : ''}`, 'known'),
    changesText(changes, style, { indent: '    ', width }),
  ];
}

function objectName(manifest: JsonObject): string {
  const metadata = objectOrEmpty(manifest['metadata']);
  return clean(`${String(manifest['kind'])} ${String(metadata['name'])}`);
}

/** Returns one line per subject, resource and namespace, with all verbs. */
function rightLines(what: 'gained' | 'lost', rights: readonly Right[], mark: Mark): readonly string[] {
  const lines = new Map<string, { readonly verbs: string[]; readonly right: Right }>();
  for (const right of rights) {
    const key = JSON.stringify([right.where, right.subject, right.resource, right.namespace, right.resourceName]);
    const found = lines.get(key);
    if (found) found.verbs.push(right.verb);
    else lines.set(key, { verbs: [right.verb], right });
  }
  return [...lines.values()].map(({ verbs, right }) => {
    const { where, subject, resource, resourceName, clusters } = right;
    const object = resourceName === undefined ? resource : `${resource} ${resourceName}`;
    const server = where === 'hub' ? 'on the hub' : 'on the cluster';
    return mark(
      `right ${what} ${server} for ${countText(clusters.length, 'cluster')}: ${clean(subject)} ${verbs.map(clean).join(', ')} ${clean(object)}${clean(placeText(right))}`,
      'known',
    );
  });
}

/** Describes the namespaces in which a permission applies; empty for a permission on a URL. */
function placeText({ subject, resource, namespace }: Right): string {
  if (resource.startsWith('/')) return '';
  if (namespace !== '') return ` in namespace ${namespace}`;
  return subject.startsWith('ClusterRole ') ? ' where the role is bound' : ' in all namespaces';
}

function whenLines(plan: Plan, mark: Mark): readonly string[] {
  const lines = plan.entries.flatMap((entry) => entryLines(plan, entry, mark));
  if (lines.length === 0) return [];
  const { source, n, censored, p50, p90 } = plan.durations;
  const failed = censored === 0 ? '' : `, ${censored} failed ones left out`;
  const basis =
    source === 'default'
      ? `no moves are recorded yet: a move is assumed to take ${elapsed(p50)}, nine in ten at most ${elapsed(p90)}`
      : `a move takes ${elapsed(p50)}, nine in ten at most ${elapsed(p90)} (${n} recorded moves${failed})`;
  return [...lines, mark(basis, 'assumed'), ...plan.notKnown.map((text) => mark(text, 'unknown'))];
}

function entryLines({ from }: Plan, entry: EntryPlan, mark: Mark): readonly string[] {
  const start = parseTime(from) ?? 0;
  const name = clean(entry.name);
  const events = [
    ...entry.waves.map((wave, i) => ({
      at: wave.startAt,
      line: mark(`${name}: ${waveText(wave, i, start)}`, wave.certainty),
      isWave: true,
    })),
    ...entry.gates.map((gate) => ({ at: gate.at, line: mark(`${name}: ${gateText(gate, start)}`, gate.certainty), isWave: false })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : Number(a.isWave) - Number(b.isWave)));
  const waves = events.filter(({ isWave }) => isWave);
  const hidden = new Set(waves.length > SHOWN_WAVES + 1 ? waves.slice(SHOWN_WAVES - 1, -1) : []);
  const first = waves[SHOWN_WAVES - 1];
  const shown = events.flatMap((event) => {
    if (!hidden.has(event)) return [event.line];
    return event === first ? [mark(`${name}: ... ${hidden.size} more waves`, 'assumed')] : [];
  });
  return [...shown, ...endLine(entry, start, mark)];
}

function waveText({ group, startAt, endAt, clusters, after }: WavePlan, index: number, start: number): string {
  const since = (time: string): number => ((parseTime(time) ?? start) - start) / 1000;
  const approval = after ? `, ${elapsed(after.seconds)} after approval of ${clean(after.gate)}` : '';
  return `wave ${index + 1}, group ${clean(group)}: ${countText(clusters.length, 'cluster')} (${namesText(clusters)}) ${period(since(startAt), since(endAt))}${approval}`;
}

function gateText({ kind, name, group, at, opensAt, clusters, message }: GatePlan, start: number): string {
  const since = (time: string): string => elapsed(((parseTime(time) ?? start) - start) / 1000);
  const where = group === undefined ? '' : `, group ${clean(group)}`;
  const held = clusters === 0 ? 'the end' : countText(clusters, 'cluster');
  const opens =
    kind === 'Approval' && opensAt === at
      ? 'until it is approved; later times count from the approval'
      : opensAt === undefined
        ? 'and does not open by itself'
        : `until ${opensAt} (${since(opensAt)})`;
  const why = message === undefined ? '' : `: ${clean(message)}`;
  return `${kind.toLowerCase()} ${clean(name)}${where} holds ${held} from ${since(at)} ${opens}${why}`;
}

function endLine({ name, end, outcome, waves, groups }: EntryPlan, start: number, mark: Mark): readonly string[] {
  if (!end) return outcome === undefined || outcome === 'Completed' ? [] : [mark(`${clean(name)}: does not end (${outcome})`, 'known')];
  const hasMoves = groups.some(({ moving, fresh }) => moving.length + fresh.length > 0);
  if (waves.length === 0) return [mark(`${clean(name)}: ${hasMoves ? 'no cluster may move yet' : 'nothing to move'}`, 'known')];
  const since = (time: string): string => elapsed(((parseTime(time) ?? start) - start) / 1000);
  const [p50, p90] = [since(end.p50), since(end.p90)];
  const range = p50 === p90 ? `${p50} (p50 and p90 ${end.p90})` : `${p50} (p50) to ${p90} (p90 ${end.p90})`;
  return [mark(`${clean(name)}: ends after ${range} in ${end.runs} seeded runs`, end.certainty)];
}

function failureLines(
  { assumption, runs, halted, turnedBack, touched, stopsIn, stopsAfter, certainty }: FailureForecast,
  mark: Mark,
): readonly string[] {
  const stopped = halted + turnedBack;
  const what = turnedBack > 0 ? `turns back in ${turnedBack} and halts in ${halted}` : `halts in ${halted}`;
  const where = stopped === 0 || stopsIn === undefined ? '' : `, mostly in ${clean(stopsIn)} after ${elapsed(stopsAfter ?? 0)}`;
  return [
    mark(`if ${clean(assumption)}: ${what} of ${runs} runs${where}`, certainty),
    mark(`clusters touched: p50 ${touched.p50}, p99 ${touched.p99}, at most ${touched.max}`, certainty),
  ];
}

function obstacleLines({ inTheWay }: Plan, mark: Mark): readonly string[] {
  if (inTheWay.length === 0) return [mark('nothing', 'known')];
  return inTheWay.map(({ message, clusters, certainty }) => {
    const where = clusters.length === 0 ? '' : ` (${countText(clusters.length, 'cluster')}: ${namesText(clusters)})`;
    return mark(`${clean(message)}${where}`, certainty);
  });
}
