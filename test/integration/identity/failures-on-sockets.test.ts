import { describeFailuresOnSockets } from './failures-on-sockets.js';

describeFailuresOnSockets({ hub: 'embedded', cluster: 'embedded' });
