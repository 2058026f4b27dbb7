import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Page } from '../address/address.js';
import { Mark } from '../parts/mark.js';
import { Palette } from './palette.js';
import { StopButton } from './stop-button.js';
import { Who } from './who.js';

export function TopBar({ page }: { page: Page }): JSX.Element {
  const [isSearching, setSearching] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, select, textarea') !== null;
      const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
      const isControlK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      if (!isSlash && !isControlK) return;
      event.preventDefault();
      setSearching(true);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <header class="top">
      <a class="brand" href="/" aria-label="Outrigger">
        <Mark />
        <span class="brand-word">Outrigger</span>
      </a>
      <nav aria-label="Pages">
        <a href="/" {...(page.page === 'fleet' ? { 'aria-current': 'page' as const } : {})}>
          Fleet
        </a>
        <a href="/activity" {...(page.page === 'activity' ? { 'aria-current': 'page' as const } : {})}>
          Activity
        </a>
      </nav>
      <div class="end">
        <button type="button" class="find" aria-label="Search" aria-keyshortcuts="/ Control+K" onClick={() => setSearching(true)}>
          <svg class="glyph" viewBox="0 0 16 16" aria-hidden="true">
            <path
              d="M7 2.6a4.4 4.4 0 1 0 0 8.8a4.4 4.4 0 1 0 0-8.8M10.4 10.4l3.4 3.4"
              fill="none"
              stroke="currentColor"
              stroke-width="1.6"
              stroke-linecap="round"
            />
          </svg>
          <span class="find-word">Search</span> <kbd>/</kbd>
        </button>
        <StopButton />
        <Who />
      </div>
      {isSearching && <Palette onClose={() => setSearching(false)} />}
    </header>
  );
}
