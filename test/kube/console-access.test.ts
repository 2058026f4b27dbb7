import { describe } from 'vitest';
import { startKube } from '../harness/index.js';
import { describeConsoleAccess } from '../integration/console/access-story.js';

describe('the console on a real API server', () => describeConsoleAccess(() => startKube({ controllerManager: true })));
