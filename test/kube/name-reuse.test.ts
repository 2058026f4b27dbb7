import { describeNameReuse } from '../integration/identity/name-reuse.js';

describeNameReuse({ hub: 'kube', cluster: 'embedded' });
