import { describe } from 'vitest';
import { describeConsoleUsers } from '../console/users-story.js';
import { startPeopleHub } from './people-hub.js';

describe('users of a hub on a real API server', () => describeConsoleUsers(startPeopleHub));
