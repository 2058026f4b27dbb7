export interface StreamEvents {
  readonly opened: () => void;
  readonly heard: (text: string) => void;
  /** The stream could not be opened or has ended. */
  readonly failed: () => void;
}

export interface OpenStream {
  readonly close: () => void;
}

/**
 * Opens an event stream. The browser would open a failed stream again by itself, at the same address; the stream is closed instead, so that
 * the caller decides when to continue and from which position.
 */
export function openStream(address: string, events: StreamEvents): OpenStream {
  const stream = new EventSource(address);
  stream.onopen = () => events.opened();
  stream.onmessage = (event: MessageEvent<string>) => events.heard(event.data);
  stream.onerror = () => {
    stream.close();
    events.failed();
  };
  return { close: () => stream.close() };
}
