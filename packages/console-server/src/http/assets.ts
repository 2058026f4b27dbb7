import type { Headers, HttpAnswer } from './messages.js';

/** The files of the browser app, by path below the root: `index.html`, `assets/main-3fa9.js`. */
export type Assets = ReadonlyMap<string, { readonly body: Uint8Array; readonly type: string }>;

/** Returns a file of the console. For a path without a file, returns index.html, because the client-side router handles such a path. */
export function asset(assets: Assets, url: string): HttpAnswer {
  const path = (url.split('?', 1)[0] ?? '/').slice(1);
  const found = assets.get(path);
  // Names below assets/ contain a digest from Vite, so these files never change.
  if (found && path.startsWith('assets/')) return file(found, { 'cache-control': 'public, max-age=31536000, immutable' });
  if (found) return file(found, { 'cache-control': 'no-cache' });
  const app = assets.get('index.html');
  const isPage = !/\.[a-z0-9]+$/i.test(path);
  if (app && isPage) return file(app, { 'cache-control': 'no-cache' });
  const message = isPage ? 'the browser app is not built: run `npm run build`\n' : 'there is no such file\n';
  return { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: message };
}

function file({ body, type }: { readonly body: Uint8Array; readonly type: string }, headers: Headers): HttpAnswer {
  return { status: 200, headers: { 'content-type': type, ...headers }, body };
}
