export { causeOf, isWrong } from './chain.js';
export type { Chain, Link, Verdict } from './chain.js';
export { nearest, suggestion } from './suggest.js';
