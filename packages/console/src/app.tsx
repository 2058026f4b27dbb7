import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatPage, type Page } from './address/address.js';
import { useAddress } from './address/router.js';
import { link } from './data/link.js';
import { createStore, useStore } from './data/store.js';
import { FleetPage } from './fleet/page.js';
import { OpenQuestion } from './parts/confirm.js';
import { ErrorBoundary } from './parts/error-boundary.js';
import { Bones, Problem } from './parts/problem.js';
import { Notices } from './shell/notices.js';
import { SignInPage } from './shell/sign-in.js';
import { TopBar } from './shell/top-bar.js';

/** The app: the top bar, connection problems, and the current page. */
export function App(): JSX.Element {
  const { page } = useAddress();
  const { goneSince, hub, signedOut } = useStore(link);
  const address = formatPage(page);
  useEffect(() => {
    document.title = `${titleOf(page)} · Outrigger`;
  }, [address]);
  if (signedOut !== undefined) return <SignInPage {...signedOut} />;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <TopBar page={page} />
      <Notices />
      <main id="main" tabIndex={-1} class={goneSince === undefined && hub === undefined ? '' : 'stale'}>
        <ErrorBoundary key={address} name="This page">
          <PageOf page={page} />
        </ErrorBoundary>
      </main>
      <OpenQuestion />
    </>
  );
}

function PageOf({ page }: { page: Page }): JSX.Element {
  switch (page.page) {
    case 'fleet':
      return <FleetPage />;
    case 'unknown':
      return (
        <>
          <h1>No such page</h1>
          <p class="empty">
            The console has no page at {page.path}. <a href="/">Go to the fleet</a>
          </p>
        </>
      );
    default:
      return <Lazy page={page} />;
  }
}

type LaterPage = Exclude<Page, { page: 'fleet' | 'unknown' }>;

/** The component of all pages except the fleet. These pages are built as one file, which is loaded when the first of them is opened. */
const later = createStore<ComponentType<{ page: LaterPage }> | undefined>(undefined);

function Lazy({ page }: { page: LaterPage }): JSX.Element {
  const [problem, setProblem] = useState<string | undefined>();
  const Loaded = useStore(later);
  useEffect(() => {
    import('./pages/later-page.js').then(
      ({ LaterPage: component }) => later.set(component),
      (error: unknown) => setProblem(String(error)),
    );
  }, []);
  if (problem !== undefined) return <Problem title="This page could not be loaded" detail={problem} retry={() => location.reload()} />;
  return Loaded === undefined ? <Bones /> : <Loaded page={page} />;
}

function titleOf(page: Page): string {
  switch (page.page) {
    case 'fleet':
      return 'Fleet';
    case 'addon':
      return page.addon;
    case 'rollout':
      return `Rollout of ${page.addon}`;
    case 'cluster':
      return page.cluster;
    case 'cell':
      return `${page.addon} on ${page.cluster}`;
    case 'activity':
      return 'Activity';
    case 'object':
      return page.object.name;
    case 'unknown':
      return 'No such page';
  }
}
