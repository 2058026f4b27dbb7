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
 * Opens an event stream. A browser reopens a failed stream by itself, at the same address. `openStream` closes a failed stream instead, so
 * that the caller decides when to open another stream and from which position.
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
