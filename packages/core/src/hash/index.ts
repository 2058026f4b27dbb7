export { canonicalJson } from './canonical-json.js';
export { sha256Hex, specHash } from './sha256.js';
