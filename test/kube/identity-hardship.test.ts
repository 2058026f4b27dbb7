import { describeHardshipOnSockets } from '../integration/identity/on-sockets.js';

describeHardshipOnSockets({ hub: 'kube', cluster: 'embedded' }, { isStalled: true });
