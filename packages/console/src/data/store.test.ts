import { describe, expect, it, vi } from 'vitest';
import { createStore, follow } from './store.js';

describe('follow', () => {
  it('reports a change between drawing and the start, and each later one, until it ends', () => {
    const store = createStore('loading');
    const drawn = store.get();
    store.set('ready');
    const changed = vi.fn<() => void>();
    const end = follow(store, drawn, changed);
    expect(changed).toHaveBeenCalledTimes(1);
    store.set('ready');
    expect(changed).toHaveBeenCalledTimes(1);
    store.set('stale');
    expect(changed).toHaveBeenCalledTimes(2);
    end();
    store.set('ready');
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it('reports nothing if the drawn value is current', () => {
    const changed = vi.fn<() => void>();
    follow(createStore('ready'), 'ready', changed);
    expect(changed).not.toHaveBeenCalled();
  });
});
