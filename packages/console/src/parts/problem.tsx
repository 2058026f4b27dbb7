import type { JSX } from 'preact';

export function Problem({
  title,
  detail,
  retry,
}: {
  title: string;
  detail?: string | undefined;
  retry?: (() => void) | undefined;
}): JSX.Element {
  return (
    <div class="problem" role="alert">
      <b>{title}</b>
      {detail !== undefined && <p>{detail}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A placeholder with about the height of the content, so that the layout does not jump when the content is loaded. */
export function Bones(): JSX.Element {
  return (
    <div class="bones" aria-busy="true">
      <span class="hidden">Loading</span>
      {[38, 62, 84, 84, 84, 70].map((width, index) => (
        <i key={index} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
