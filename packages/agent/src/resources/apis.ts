/** The two API servers that an agent uses. */
export const HUB = 'hub';
export const CLUSTER = 'cluster';
