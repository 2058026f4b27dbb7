import type { JSX } from 'preact';
import { exactText } from './time.js';

const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** Shows a text from the hub or a cluster. Times in it are shown in the reader's zone, with the original on hover. */
export function Prose({ text }: { text: string }): JSX.Element {
  const parts = text.split(TIME);
  if (parts.length === 1) return <>{text}</>;
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <time key={index} dateTime={part} title={part}>
            {exactText(part)}
          </time>
        ),
      )}
    </>
  );
}
