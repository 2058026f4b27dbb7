import { describeFailuresOnSockets } from './failures-on-sockets.js';

// Only the suite on real servers tests a network that drops all data, because detecting it takes real seconds.
describeFailuresOnSockets({ hub: 'embedded', cluster: 'embedded' }, { isStalled: false });
