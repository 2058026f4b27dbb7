import { describeTrust } from './trust.js';

describeTrust({ hub: 'embedded', cluster: 'embedded' });
