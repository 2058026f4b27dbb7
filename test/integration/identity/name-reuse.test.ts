import { describeNameReuse } from './name-reuse.js';

describeNameReuse({ hub: 'embedded', cluster: 'embedded' });
