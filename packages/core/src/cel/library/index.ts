import type { CelFunction } from '../functions.js';
import { CONVERSIONS } from './conversions.js';
import { REGEX } from './regex.js';
import { STANDARD } from './standard.js';
import { TIME } from './time.js';

/** What the API server offers to every expression. */
export const KUBERNETES_LIBRARY: readonly CelFunction[] = [...STANDARD, ...CONVERSIONS, ...TIME, ...REGEX];
