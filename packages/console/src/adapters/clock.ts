// The browser's clock and timers. Nothing else in the app asks for the time.

export function nowMs(): number {
  return Date.now();
}

/** Calls `act` once; the result cancels it. */
export function after(milliseconds: number, act: () => void): () => void {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
}

export function every(milliseconds: number, act: () => void): void {
  setInterval(act, milliseconds);
}
