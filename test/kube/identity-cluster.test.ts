import { describeWholeStory } from '../integration/identity/story.js';

describeWholeStory({ hub: 'embedded', cluster: 'kube' });
