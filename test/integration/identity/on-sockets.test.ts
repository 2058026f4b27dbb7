import { describeHardshipOnSockets } from './on-sockets.js';

// A network that swallows everything takes real seconds to notice: that is told by the suite on real servers.
describeHardshipOnSockets({ hub: 'embedded', cluster: 'embedded' }, { isStalled: false });
