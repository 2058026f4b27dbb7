/** The two API servers an agent talks to. */
export const HUB = 'hub';
export const CLUSTER = 'cluster';
