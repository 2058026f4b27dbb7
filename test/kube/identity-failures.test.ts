import { describeFailuresOnSockets } from '../integration/identity/failures-on-sockets.js';

describeFailuresOnSockets({ hub: 'kube', cluster: 'embedded' });
