import { describeHardshipOnSockets } from './on-sockets.js';

// Detecting a network that drops all data takes real seconds: only the suite on real servers tests it.
describeHardshipOnSockets({ hub: 'embedded', cluster: 'embedded' }, { isStalled: false });
