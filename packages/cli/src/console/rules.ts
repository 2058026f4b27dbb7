import type { ConsoleRules } from '@outrigger/console-server';
import type { JsonObject } from '@outrigger/core';
import { redact } from '../preview/redact.js';
import { causeOf } from '../why/chain.js';
import { explain } from '../why/why.js';

/** The rules behind `outrigger why` and `outrigger diff`, for the console. */
export const consoleRules: ConsoleRules = {
  explain(objects, addOn, cluster) {
    const chain = explain(objects, addOn, cluster);
    return { verdict: chain.verdict, links: chain.links, cause: causeOf(chain) };
  },
  redact: (manifest) => redact(manifest as JsonObject),
};
