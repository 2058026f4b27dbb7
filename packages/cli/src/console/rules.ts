import type { ConsoleRules } from '@outrigger/console-server';
import type { JsonObject } from '@outrigger/core';
import { redact } from '../preview/redact.js';

/** The rules behind `outrigger render` and `outrigger diff`, for the console. */
export const consoleRules: ConsoleRules = { redact: (manifest) => redact(manifest as JsonObject) };
