import { describeTrust } from '../integration/identity/trust.js';

describeTrust({ hub: 'kube', cluster: 'embedded' });
