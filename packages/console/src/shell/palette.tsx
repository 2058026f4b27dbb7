import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useState } from 'preact/hooks';
import { navigate } from '../address/router.js';
import { session } from '../data/session.js';
import { useStore } from '../data/store.js';
import { useView } from '../data/use-view.js';
import type { Fleet } from '../fleet/fleet.js';
import { askAbout } from '../parts/asking.js';
import { Dialog } from '../parts/dialog.js';
import { search } from './search.js';

/** Finds pages, add-ons, clusters and commands. The arrow keys choose a hit, Enter opens it, and Escape closes the palette. */
export function Palette({ onClose }: { onClose: () => void }): JSX.Element {
  const { data: fleet, error } = useView<Fleet>({ view: 'fleet' });
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const maySteer = useStore(session)?.mayChangeRollouts === true;
  const hits = search(text, fleet?.addons ?? [], fleet?.clusters.map(({ name }) => name) ?? [], maySteer);
  const at = Math.min(chosen, hits.length - 1);
  const open = (index: number, from: Element) => {
    const hit = hits[index];
    if (hit === undefined) return;
    // Closing the dialog moves the focus back to where it was, so close the dialog before the target takes the focus.
    from.closest('dialog')?.close();
    if (hit.offer === undefined) navigate(hit.address);
    else askAbout(hit.offer);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') open(at, event.currentTarget);
    else if (event.key === 'ArrowDown') setChosen(Math.min(hits.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(0, at - 1));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Search" class="palette" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="hits"
        aria-activedescendant={at >= 0 ? `hit-${at}` : undefined}
        aria-label="Search add-ons, clusters, pages and commands"
        placeholder="Add-on, cluster, page or command; metrics cluster1 opens the reason"
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="hits" role="listbox" aria-label="Results">
        {hits.map((hit, index) => (
          <li
            key={`${hit.address} ${hit.text}`}
            id={`hit-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={(event) => open(index, event.currentTarget)}
          >
            <span>{hit.text}</span>
            <span>{hit.note}</span>
          </li>
        ))}
      </ul>
      {hits.length === 0 && (
        <p class="empty palette-empty">
          {fleet === undefined && error === undefined ? 'The names of add-ons and clusters are being read.' : 'Nothing has that name.'}
        </p>
      )}
    </Dialog>
  );
}
