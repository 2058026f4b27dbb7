// The browser's clock and timers. The rest of the app uses no other clock.

export function nowMs(): number {
  return Date.now();
}

/** Calls `act` once after the delay. The returned function cancels the call. */
export function after(milliseconds: number, act: () => void): () => void {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
}

export function every(milliseconds: number, act: () => void): void {
  setInterval(act, milliseconds);
}

/** Calls `act` before the next frame is drawn. A background tab draws no frames, so `act` is then called after a short delay. */
export function nextFrame(act: () => void): void {
  if (document.hidden) after(0, act);
  else requestAnimationFrame(act);
}
