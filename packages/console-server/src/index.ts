export { readAssets } from './adapters/asset-folder.js';
export { serveConsole } from './adapters/http-server.js';
export type { ConsoleServer, ConsoleServerOptions } from './adapters/http-server.js';
export { createConsole } from './console.js';
export type { Console, ConsoleOptions } from './console.js';
export type { Assets } from './http/assets.js';
export type { HttpAnswer, HttpRequest, Sink } from './http/messages.js';
export type { ConsoleRules } from './rules.js';
export type { TokenClient } from './sessions/sessions.js';
