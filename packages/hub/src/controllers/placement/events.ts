import type { EventIntent } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { Schedule, Scoring } from '@outrigger/rules/scheduling';
import type { PagePlan } from './page-plan.js';

type Regarding = EventIntent['regarding'];

/** The maximum length of an Event's message. */
const MAX_LENGTH = 1000;

/** Events about created, updated and deleted PlacementDecisions. A pass that writes no PlacementDecision emits no Events. */
export function eventsOf(regarding: Regarding, { created, updated, deleted }: PagePlan, { scoring }: Schedule): readonly EventIntent[] {
  const { name, namespace = '' } = regarding.key;
  const about = (page: string, what: string): string => `Decision ${page} is ${what} with placement ${name} in namespace ${namespace}`;
  const event = (reason: string, message: string, type: EventIntent['type'] = 'Normal'): EventIntent => {
    return { api: HUB, regarding, type, reason, message };
  };
  return [
    ...created.map((page) => event('DecisionCreate', about(page, 'created'))),
    ...(updated.length > 0 ? updates(updated, scoring(), about, event) : []),
    ...deleted.map((page) => event('DecisionDelete', about(page, 'deleted'))),
  ];
}

function updates(
  pages: readonly string[],
  { scores, expired }: Scoring,
  about: (page: string, what: string) => string,
  event: (reason: string, message: string, type?: EventIntent['type']) => EventIntent,
): readonly EventIntent[] {
  const list = cut(
    scores.map(([cluster, score]) => `${cluster}:${score} `),
    MAX_LENGTH,
  );
  const warning = expired
    ? `: AddOnPlacementScores${cut(
        expired.scores.map((score) => ` ${score}`),
        MAX_LENGTH / 2,
      )} expired in plugin ${expired.prioritizer}`
    : '';
  return [
    ...pages.map((page) => event('DecisionUpdate', `${about(page, 'updated')}${warning}`, expired ? 'Warning' : 'Normal')),
    ...(list === '' ? [] : [event('ScoreUpdate', list)]),
  ];
}

function cut(words: readonly string[], length: number): string {
  let text = '';
  for (const word of words) {
    if (text.length + word.length > length) return `${text}......`;
    text += word;
  }
  return text;
}
