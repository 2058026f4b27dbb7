export { causeOf, isWrong } from './chain.js';
export type { Chain, Link, Verdict } from './chain.js';
export { headlineOf } from './state.js';
export type { AddOnState } from './state.js';
export { nearest, suggestion } from './suggest.js';
