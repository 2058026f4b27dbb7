import { describeFailuresOnSockets } from './failures-on-sockets.js';

// Detecting a network that drops all data takes real seconds: only the suite on real servers tests it.
describeFailuresOnSockets({ hub: 'embedded', cluster: 'embedded' }, { isStalled: false });
