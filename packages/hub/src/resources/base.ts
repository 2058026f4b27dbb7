/** The one API server that the hub manager uses. */
export const HUB = 'hub';
