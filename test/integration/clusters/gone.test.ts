import { describeGoneCluster } from './gone.js';

describeGoneCluster({ hub: 'embedded', cluster: 'embedded' });
