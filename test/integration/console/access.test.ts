import { describe } from 'vitest';
import { startEmbedded } from '../../harness/index.js';
import { describeConsoleAccess } from './access-story.js';

describe('the console on the embedded server', () => describeConsoleAccess(startEmbedded));
