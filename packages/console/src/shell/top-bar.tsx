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
      <a class="brand" href="/">
        <Mark />
        Outrigger
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
        <button type="button" class="find" onClick={() => setSearching(true)}>
          <span class="find-word">Search</span> <kbd>/</kbd>
        </button>
        <StopButton />
        <Who />
      </div>
      {isSearching && <Palette onClose={() => setSearching(false)} />}
    </header>
  );
}
