import { VERSION } from '../version.js';

export const USER_AGENT: string = `outrigger-console/${VERSION}`;
