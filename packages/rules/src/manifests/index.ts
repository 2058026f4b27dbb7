export { isPreDeleteHook } from './hooks.js';
