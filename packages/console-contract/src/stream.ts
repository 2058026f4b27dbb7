import type { FleetDelta } from './fleet.js';
import type { ViewData } from './views/index.js';

/**
 * The place of a view in the changes of one server process. Sequence numbers start again in each process, so two positions are comparable
 * only if they have the same epoch.
 */
export interface Position {
  /** Identifies the server process. */
  readonly epoch: string;
  readonly sequence: number;
}

/**
 * A message on the event stream: the `data` of a server-sent event, as JSON. The stream sends at most four messages per second for each
 * view. A tab in the background closes its stream. When the tab is shown again, it opens a stream with the last position of each view.
 */
export type StreamMessage =
  /** The first message of every stream. All sequence numbers on the stream belong to this epoch. */
  | { readonly type: 'start'; readonly epoch: string }
  | { readonly type: 'fleet'; readonly delta: FleetDelta }
  /** The new content of a changed view. */
  | { readonly type: 'view'; readonly view: string; readonly sequence: number; readonly data: ViewData }
  /** One view failed. The other views continue. */
  | { readonly type: 'error'; readonly view: string; readonly error: ViewError }
  /** The server does not have all changes since the browser's position of this view, so the browser requests the view again. */
  | { readonly type: 'gap'; readonly view: string; readonly sequence: number }
  /**
   * A heartbeat, which is sent if no other message was sent for 10 s, so that a browser detects a lost connection. `hub` is set while the
   * API server is unreachable.
   */
  | { readonly type: 'beat'; readonly sequence: number; readonly hub?: HubTrouble }
  /**
   * The last message, which is sent when the session or its token has ended, when the user's permissions have changed, or when the server
   * stops.
   */
  | { readonly type: 'end'; readonly reason: 'token-ended' | 'signed-out' | 'rights-changed' | 'server-stops'; readonly message: string };

export interface HubTrouble {
  readonly since: string;
  readonly message: string;
}

/** The body of every response with status 400 or higher, and of a failed view on a stream. */
export interface ViewError {
  readonly code:
    | 'unauthorized'
    /** In local mode: the browser has not opened the one-time URL of the console, or the console was restarted afterwards. */
    | 'not-opened'
    | 'forbidden'
    | 'not-found'
    | 'bad-request'
    | 'conflict'
    | 'not-ready'
    | 'too-large'
    | 'failed';
  /** One-line message: the problem and the remedy. */
  readonly message: string;
}
