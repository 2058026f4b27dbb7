import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A modal dialog. The browser keeps the focus inside and restores it afterwards; Escape closes the dialog. */
export function Dialog(props: { label: string; class?: string; onClose: () => void; children: ComponentChildren }): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  // A normal effect would run only after the next frame, and keys that the user presses before that frame would be lost.
  useLayoutEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      class={props.class ?? ''}
      aria-label={props.label}
      onClose={props.onClose}
      onClick={(event) => {
        if (event.target === element.current) element.current?.close();
      }}
    >
      {props.children}
    </dialog>
  );
}
