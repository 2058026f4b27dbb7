import { describeWholeStory } from '../integration/identity/story.js';

describeWholeStory({ hub: 'kube', cluster: 'kube' });
describeWholeStory({ hub: 'embedded', cluster: 'kube' });
describeWholeStory({ hub: 'kube', cluster: 'embedded' });
