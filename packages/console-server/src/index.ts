export { readAssets } from './adapters/asset-folder.js';
export { serveConsole } from './adapters/http-server.js';
export { createConsole } from './console.js';
export type { Console } from './console.js';
export type { Assets } from './http/assets.js';
export type { ConsoleRules } from './rules.js';
