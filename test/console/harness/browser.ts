import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type APIResponse, type Browser, type BrowserContextOptions, chromium, type Page, type Route } from 'playwright-core';
import { expect } from 'vitest';
import { findChromium } from '../../../tools/chromium.mjs';

/**
 * The time limit of a wait for the page, in milliseconds. It only guards against a hang; a test that passes does not depend on it. On one
 * core, which Chromium shares with several API servers, a page needs more than 15 s.
 */
export const PAGE_LIMIT_MS = 45_000;

export async function launch(...args: readonly string[]): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium: run the tests with npm run test:console');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--enable-precise-memory-info', ...args] });
}

/** Opens a page that fails the test for every error in its console, including violations of the Content Security Policy. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) problems.push(message.text());
  });
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  return { page, problems };
}

/** Waits until the page shows no placeholder of a view that is still loading. */
export async function loaded(page: Page): Promise<void> {
  await expect.poll(() => page.locator('.bones').count(), { timeout: PAGE_LIMIT_MS }).toBe(0);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * Checks the page with every rule in the light theme. In the dark theme it checks only the contrast of colours, because the themes do not
 * differ in anything else.
 */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page);
}

/**
 * Checks that axe-core finds no violation on the page. Its script runs in an isolated world, so that the page's content security policy
 * stays in force.
 * @param rules The rules to check; all rules if empty.
 */
export async function expectAccessible(page: Page, rules: readonly string[] = []): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'axe' });
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as unknown;
  };
  if ((await evaluate('typeof axe')) === 'undefined') await evaluate(`${AXE};undefined`);
  const options = JSON.stringify({
    resultTypes: ['violations'],
    ...(rules.length === 0 ? {} : { runOnly: { type: 'rule', values: rules } }),
  });
  const violations = (await evaluate(`axe.run(document, ${options}).then(({ violations }) => violations)`)) as AxeViolation[];
  await session.detach();
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => `  ${html}`).join('\n')}`);
  expect(found, `accessibility of ${page.url()}`).toEqual([]);
}

/**
 * Returns the server's response to a request of the page. Playwright sends the request over a new connection, because the server may close
 * an idle one at the moment at which Playwright uses it again.
 */
export function fetched(route: Route): Promise<APIResponse> {
  return route.fetch({ headers: { ...route.request().headers(), connection: 'close' } });
}
