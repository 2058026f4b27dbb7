import type { CelFunction } from '../functions.js';
import { CONVERSIONS } from './conversions.js';
import { NAMED_FORMATS } from './formats.js';
import { IPS } from './ip.js';
import { LISTS } from './lists.js';
import { OPTIONALS } from './optional.js';
import { QUANTITIES } from './quantity.js';
import { REGEX } from './regex.js';
import { SEMVERS } from './semver.js';
import { STANDARD } from './standard.js';
import { STRINGS } from './strings.js';
import { TIME } from './time.js';
import { URLS } from './url.js';

/** The functions that the API server offers to every expression. */
export const KUBERNETES_LIBRARY: readonly CelFunction[] = [
  ...STANDARD,
  ...CONVERSIONS,
  ...TIME,
  ...OPTIONALS,
  ...STRINGS,
  ...LISTS,
  ...REGEX,
  ...QUANTITIES,
  ...URLS,
  ...IPS,
  ...SEMVERS,
  ...NAMED_FORMATS,
];
