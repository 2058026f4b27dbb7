import type { MetricsProvider } from '@outrigger/hub/controllers';
import type { Agenda } from '../engine/index.js';

/** The time that the provider takes to answer. */
const ANSWER_MS = 20;
/** The maximum number of turns of the microtask queue that the hub needs to store an answer. */
const TURNS = 20;

/** A metrics provider that answers in virtual time with the value for the add-on that the query names. */
export function metricsProvider(agenda: Agenda, valueOf: (addOn: string) => number | undefined): MetricsProvider {
  return {
    query: (query) =>
      new Promise((resolve) => {
        agenda.after(ANSWER_MS, async () => {
          const value = valueOf(/add_on="([^"]*)"/.exec(query)?.[1] ?? '');
          resolve(value === undefined ? { problem: 'the provider did not answer' } : { series: [{ labels: {}, value }] });
          for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
        });
      }),
  };
}
