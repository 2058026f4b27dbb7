import { describeGoneCluster } from '../integration/clusters/gone.js';

describeGoneCluster({ hub: 'kube', cluster: 'embedded' });
