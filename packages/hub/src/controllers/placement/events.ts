import type { EventIntent } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { Schedule } from '../../scheduling/schedule.js';
import type { PagePlan } from './page-plan.js';

type Regarding = EventIntent['regarding'];

/** What fits into the text of an Event. */
const MAX_LENGTH = 1000;

/** What happened to the pages, for people who watch. A pass that writes no page has nothing to tell. */
export function eventsOf(regarding: Regarding, plan: PagePlan, { scores, expiredScores }: Schedule): readonly EventIntent[] {
  const { name, namespace = '' } = regarding.key;
  const about = (page: string, what: string): string => `Decision ${page} is ${what} with placement ${name} in namespace ${namespace}`;
  const event = (reason: string, message: string, type: EventIntent['type'] = 'Normal'): EventIntent => {
    return { api: HUB, regarding, type, reason, message };
  };
  const isExpired = expiredScores.length > 0;
  const warning = isExpired ? `: AddOnPlacementScores ${cut(expiredScores, MAX_LENGTH / 2)} expired` : '';
  return [
    ...plan.created.map((page) => event('DecisionCreate', about(page, 'created'))),
    ...plan.updated.map((page) => event('DecisionUpdate', `${about(page, 'updated')}${warning}`, isExpired ? 'Warning' : 'Normal')),
    ...plan.deleted.map((page) => event('DecisionDelete', about(page, 'deleted'))),
    ...(scores && plan.updated.length > 0
      ? [
          event(
            'ScoreUpdate',
            cut(
              scores.map(([cluster, score]) => `${cluster}:${score}`),
              MAX_LENGTH,
            ),
          ),
        ]
      : []),
  ];
}

function cut(words: readonly string[], length: number): string {
  let text = '';
  for (const word of words) {
    if (text.length + word.length + 1 > length) return `${text}......`;
    text += `${word} `;
  }
  return text.trimEnd();
}
