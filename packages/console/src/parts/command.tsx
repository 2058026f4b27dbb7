import type { JSX } from 'preact';
import { after } from '../adapters/clock.js';
import { useState } from 'preact/hooks';

/** A command line to copy. */
export function Command({ line }: { line: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(line);
    setCopied(true);
    after(2_000, () => setCopied(false));
  };
  return (
    <div class="command">
      <code tabIndex={0}>{line}</code>
      <button type="button" onClick={() => void copy().catch(() => setCopied(false))}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
